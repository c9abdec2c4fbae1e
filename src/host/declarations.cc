#include "host/declarations.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "mcp/methods.h"
#include "tool/modes/manage.h"

namespace pi_mcp::host {
namespace {

// What people and programs do through the host's own interface and what lasts as long as the
// session; the rest is in files.
constexpr std::array<std::string_view, 4> lasting_actions = {
    "configure", "register", "trust", "session"};

}  // namespace

std::optional<transport::Declaration> declaration_of(const rpc::Message& message) {
  const std::string& method = message.method();
  if (method == mcp::method::initialized) {
    return transport::Declaration{.key = method};
  }
  if (message.kind() != rpc::Message::Kind::request) {
    return std::nullopt;
  }
  if (method == mcp::method::initialize || method == mcp::method::logging_set_level) {
    return transport::Declaration{.key = method};
  }
  const bool ends = method == mcp::method::resources_unsubscribe;
  if (ends || method == mcp::method::resources_subscribe) {
    return transport::Declaration{.key = std::string(mcp::method::resources_subscribe) + " " +
                                         std::string(message.params().find("uri").raw()),
                                  .ends_it = ends};
  }
  if (method != mcp::method::tools_call ||
      !message.params().find("name").equals(tool::manage_tool_name())) {
    return std::nullopt;
  }
  const std::string action = message.params().at({"arguments", "action"}).string_or("");
  if (std::ranges::find(lasting_actions, action) == lasting_actions.end()) {
    return std::nullopt;
  }
  return transport::Declaration{.key = std::string(tool::manage_tool_name()) + " " + action};
}

}  // namespace pi_mcp::host
