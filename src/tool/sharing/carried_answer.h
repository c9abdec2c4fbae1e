// An answer on its way to a shell command whose session another process of ours serves: as the
// result of a call of `mcp`, from which the command makes the value again. Both are the same build.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/answer.h"
#include "tool/call_context.h"

namespace pi_mcp::tool {

// The CallToolResult. A server's own result is in it byte by byte.
rpc::Outgoing carry_answer(const Answer& answer, std::string_view text);

// protocol: this is no answer that was carried. Whole but for what only a renderer for models
// needs; of the facts there are their text and their details.
Result<Answer> take_carried(Mode mode, const rpc::Message& response);

// What the other process does meanwhile (CallContext::on_phase, on_asked), for a progress line of
// the command's own making: the params of a notification for the request with this token.
inline constexpr std::string_view phase_method = "notifications/pi-mcp/phase";
SharedText carry_phase(std::string_view token_json, std::string_view what, bool is_asked);
// Tells the context of the request.
void take_phase(const CallContext& context, json::Value params);

}  // namespace pi_mcp::tool
