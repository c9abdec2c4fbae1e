// mcp({ connect }): starts one server, or takes the open connection, and lists its tools.
#include "gateway/answer.h"
#include "gateway/call_context.h"
#include "gateway/failures.h"
#include "gateway/logins.h"
#include "gateway/mode_list.h"
#include "gateway/mode_parts.h"

namespace pi_mcp::gateway {

io::Task<Answer> run_connect(ModeParts* parts, ToolRequest request, CallContext context) {
  const std::string& server = request.subject;
  Roster& roster = *parts->roster;
  co_await parts->logins->settle(server);
  const config::Server* configured = roster.find(server);
  if (configured == nullptr) {
    co_return unknown_server(Mode::connect, server).take();
  }
  if (configured->disabled) {
    co_return disabled_server(Mode::connect, server).take();
  }
  if (!roster.connected(server)) {
    context.phase("connecting to " + server);
  }
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await roster.open(server, servers::Use::on_demand, context.on_phase);
  if (!connection) {
    co_return failed_connect(Mode::connect, roster, server, connection.error()).take();
  }
  co_return tool_list(roster, server, request, parts->marks_of);
}

}  // namespace pi_mcp::gateway
