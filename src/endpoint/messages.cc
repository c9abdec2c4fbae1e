#include "endpoint/messages.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "endpoint/heads.h"
#include "host/methods.h"
#include "mcp/header_params.h"
#include "mcp/methods.h"
#include "tool/through.h"

namespace pi_mcp::endpoint {

std::optional<std::string> wrong_parameter(const http::RequestHead& head,
                                           const rpc::Message& message,
                                           const Place& place,
                                           const gateway::Session& session) {
  if (place.kind != Place::Kind::server || message.method() != mcp::method::tools_call) {
    return std::nullopt;
  }
  const std::string name = message.params().find("name").string_or("");
  const std::vector<catalog::CatalogTool>& tools = session.catalog().tools(place.server);
  const auto tool = std::ranges::find(tools, name, &catalog::CatalogTool::original);
  if (tool == tools.end()) {
    return std::nullopt;
  }
  const Result<json::Document> schema = json::Document::parse_view(tool->input_schema.view());
  if (!schema) {
    return std::nullopt;
  }
  const Result<std::vector<mcp::HeaderParam>> wanted = mcp::header_params(schema->root());
  return wanted
             ? mcp::parameter_mismatch(
                   message, *wanted, [&head](std::string_view each) { return header(head, each); })
             : std::nullopt;
}

bool leaves_something(const rpc::Message& message, const Place& place) {
  if (message.kind() == rpc::Message::Kind::batch ||
      message.method() == mcp::method::logging_set_level) {
    return true;
  }
  if (place.kind == Place::Kind::server) {
    return !tool::Through::leaves_nothing(message.method());
  }
  const host::HostMethod* const method = host::find_method(message.method());
  return method != nullptr && method->row.by == mcp::UpwardMethod::By::server;
}

std::size_t requests_in(const rpc::Message& message) {
  using Kind = rpc::Message::Kind;
  if (message.kind() != Kind::batch) {
    return message.kind() == Kind::request ? 1 : 0;
  }
  std::size_t requests = 0;
  for (const json::Value each : message.root().elements()) {
    requests += each.find("method") && each.find("id") ? 1 : 0;
  }
  return requests;
}

}  // namespace pi_mcp::endpoint
