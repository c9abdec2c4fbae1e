// mcp({ connect }): starts one server, or takes the open connection, and lists its tools.
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"
#include "tool/modes/list.h"
#include "tool/modes/logins.h"

namespace pi_mcp::tool {

io::Task<Answer> run_connect(ModeParts* parts, ToolRequest request, CallContext context) {
  const std::string& server = request.subject;
  registry::ServerRegistry& registry = *parts->registry;
  co_await parts->logins->settle(server);
  const config::Server* configured = registry.find(server);
  if (configured == nullptr) {
    co_return unknown_server(Mode::connect, registry, server).take();
  }
  if (configured->disabled) {
    co_return disabled_server(Mode::connect, registry, server).take();
  }
  if (!registry.connected(server)) {
    context.phase("connecting to " + server);
  }
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await registry.open(server, servers::Use::on_demand, context.on_phase);
  if (!connection) {
    co_return failed_connect(Mode::connect, registry, server, connection.error()).take();
  }
  co_return tool_list(registry, server, request, parts->marks_of);
}

}  // namespace pi_mcp::tool
