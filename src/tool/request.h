// The parameters of the `mcp` tool, checked. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "rpc/message.h"
#include "tool/message.h"
#include "tool/modes.h"

namespace pi_mcp::tool {

struct ToolRequest {
  Mode mode = Mode::status;
  std::string subject;     // what the mode is about: a server, a tool, a uri or words
  std::string url;         // for install
  std::string server;      // for search, describe, read and call: only this one; empty: any
  SharedText args;         // a JSON object, or empty when none were given
  json::Value args_value;  // the same, where the message lives as long as the request; else absent
  bool regex = false;
  bool include_schemas = true;
  bool explain = false;      // a search says why it ranks; for the shell only
  bool definitions = false;  // list, search: descriptions and schemas in the details; likewise
  std::optional<std::size_t> limit;  // at least 1; absent: the default of the mode
  std::size_t offset = 0;
  // False for `mcp` beside `mcp_write` (splitTool): it calls what only reads and changes nothing.
  bool may_write = true;
  // Under a name of its own: the host knows its outputSchema.
  bool is_direct = false;
  // For a program, not for a model: nothing of the result is reduced or cut.
  bool whole = false;
  // The host itself has a tool of this name, which it calls without us.
  bool is_of_host = false;
  // Who makes this call; other extensions of the host are asked about it (ApprovalGate). Empty:
  // nobody is.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string origin = {};
};

// Entries of one answer: search shows whole schemas, a list only names and a few words.
constexpr std::size_t search_limit_default = 12;
constexpr std::size_t list_limit_default = 100;

struct RequestError {
  std::string_view code;  // details.error: invalid_args, invalid_args_type, invalid_parameter
  Message message;
};

// A parameter of the `mcp` tool, with its JSON Schema.
struct Parameter {
  std::string_view name;
  std::string_view schema;
};
// In the order of the tool's schema: those that select a mode, and the others; `action` is the
// last.
std::vector<Parameter> parameters();

// `arguments` are those of the tools/call, absent or a value of `document`; null counts as absent.
// A member `arguments` is taken as `args`. Wrong types, args that are not a JSON object, args
// without any mode (a call nested in args), and unknown members that were meant for something are
// errors; other unknown members are ignored.
tl::expected<ToolRequest, RequestError> parse_tool_request(const json::Document& document,
                                                           json::Value arguments);
tl::expected<ToolRequest, RequestError> parse_tool_request(const rpc::Message& message,
                                                           json::Value arguments);

}  // namespace pi_mcp::tool
