// The parameters of the `mcp` tool, checked. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/message.h"

namespace pi_mcp::gateway {

struct ToolRequest {
  std::string tool;
  SharedText args;         // a JSON object, or empty when none were given
  json::Value args_value;  // the same, where the message lives as long as the request; else absent
  std::string connect;
  std::string describe;
  bool has_search = false;  // an empty search text is still a search
  std::string search;
  bool regex = false;
  bool include_schemas = true;
  bool explain = false;  // a search says why it ranks; for the shell only
  std::string server;
  std::string instructions;
  std::string action;                // "auth-start", "auth-complete" or "reconnect"; empty: none
  std::optional<std::size_t> limit;  // at least 1; absent: the default of the mode
  std::size_t offset = 0;
  // False for `mcp` beside `mcp_write` (splitTool): it calls what only reads and changes nothing.
  bool may_write = true;
};

// Entries of one answer: search shows whole schemas, a list only names and a few words.
constexpr std::size_t search_limit_default = 12;
constexpr std::size_t list_limit_default = 100;

enum class Mode : std::uint8_t {
  status,
  list,
  search,
  instructions,
  describe,
  connect,
  call,
  auth_start,
  auth_complete,
  reconnect,
};

// action > tool > connect > describe > instructions > search > server > status.
Mode mode_of(const ToolRequest& request);
// "status", "list", ...: the `mode` of the details object.
std::string_view mode_name(Mode mode);

struct RequestError {
  std::string code;     // details.error: invalid_args, invalid_args_type, invalid_parameter
  std::string message;  // for the model
};

// `arguments` are those of the tools/call, absent or a value of `document`; unknown members are
// ignored, null is the same as absent. Wrong types, args that are no JSON object, and args without
// any mode (a call nested in args) are errors.
tl::expected<ToolRequest, RequestError> parse_tool_request(const json::Document& document,
                                                           json::Value arguments);
tl::expected<ToolRequest, RequestError> parse_tool_request(const rpc::Message& message,
                                                           json::Value arguments);

}  // namespace pi_mcp::gateway
