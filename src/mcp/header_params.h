// What a request of 2026-07-28 says beside its body over HTTP, so that what stands between us and
// the server can route it without reading it (basic/transports/streamable-http, "Request headers").
// Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/document.h"
#include "mcp/revisions.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// An argument that a tool wants to see in a header: `x-mcp-header` of its input schema.
struct HeaderParam {
  std::vector<std::string> path;  // member names from the arguments down
  std::string header;             // the whole name, Mcp-Param-...
};

// The header parameters of a tool. protocol: the schema breaks a rule of these annotations, and the
// tool is not to be used; the message says which.
Result<std::vector<HeaderParam>> header_params(json::Value input_schema);

struct RequestHeader {
  std::string name;
  std::string value;
};
// The headers of one request. `params` are those of the tool that it calls.
std::vector<RequestHeader> request_headers(Revision revision,
                                           const rpc::Message& request,
                                           const std::vector<HeaderParam>& params);

// A text as the value of a header: as it is when it survives that, else in Base64 with marks.
std::string header_value(std::string_view text);
// The other way round. nullopt: it has the marks, and no Base64 between them.
std::optional<std::string> header_text(std::string_view value);

// The value of a header by its name in any case; nullopt where there is none.
using ReceivedHeaders = std::function<std::optional<std::string_view>(std::string_view name)>;

// As a server: what is wrong with the headers of a request, for people; nullopt: nothing.
std::optional<std::string> header_mismatch(const std::vector<RequestHeader>& expected,
                                           const ReceivedHeaders& received);
// The same of the headers for arguments alone, also of one whose argument was left out.
std::optional<std::string> parameter_mismatch(const rpc::Message& request,
                                              const std::vector<HeaderParam>& params,
                                              const ReceivedHeaders& received);

}  // namespace pi_mcp::mcp
