// Names of MCP methods that this program sends or answers. Pure data.
#pragma once

#include <string_view>

namespace pi_mcp::mcp::method {

constexpr std::string_view initialize = "initialize";
constexpr std::string_view ping = "ping";
constexpr std::string_view tools_list = "tools/list";
constexpr std::string_view tools_call = "tools/call";
constexpr std::string_view resources_list = "resources/list";
constexpr std::string_view resources_read = "resources/read";
constexpr std::string_view resources_templates_list = "resources/templates/list";
constexpr std::string_view resources_subscribe = "resources/subscribe";
constexpr std::string_view resources_unsubscribe = "resources/unsubscribe";
constexpr std::string_view prompts_list = "prompts/list";
constexpr std::string_view prompts_get = "prompts/get";
constexpr std::string_view completion_complete = "completion/complete";
constexpr std::string_view elicitation_create = "elicitation/create";
constexpr std::string_view sampling_create_message = "sampling/createMessage";
constexpr std::string_view roots_list = "roots/list";
// Since 2026-07-28.
constexpr std::string_view server_discover = "server/discover";
constexpr std::string_view subscriptions_listen = "subscriptions/listen";
// Of 2025-11-25 (get, result, cancel) and of the extension of 2026-07-28 (get, update, cancel).
constexpr std::string_view tasks_get = "tasks/get";
constexpr std::string_view tasks_result = "tasks/result";
constexpr std::string_view tasks_update = "tasks/update";
constexpr std::string_view tasks_cancel = "tasks/cancel";
constexpr std::string_view logging_set_level = "logging/setLevel";

constexpr std::string_view initialized = "notifications/initialized";
constexpr std::string_view cancelled = "notifications/cancelled";
constexpr std::string_view progress = "notifications/progress";
constexpr std::string_view log_message = "notifications/message";
constexpr std::string_view tools_list_changed = "notifications/tools/list_changed";
constexpr std::string_view resource_updated = "notifications/resources/updated";
constexpr std::string_view resources_list_changed = "notifications/resources/list_changed";
constexpr std::string_view roots_list_changed = "notifications/roots/list_changed";
constexpr std::string_view elicitation_complete = "notifications/elicitation/complete";
constexpr std::string_view prompts_list_changed = "notifications/prompts/list_changed";
// Since 2026-07-28.
constexpr std::string_view subscriptions_acknowledged = "notifications/subscriptions/acknowledged";

}  // namespace pi_mcp::mcp::method
