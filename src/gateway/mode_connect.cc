#include "gateway/mode_connect.h"

#include "gateway/failures.h"
#include "gateway/mode_list.h"

namespace pi_mcp::gateway {

io::Task<ToolResult> connect_server(Roster* roster,
                                    ToolRequest request,
                                    CallContext context,
                                    MarksOf marks_of) {
  const std::string& server = request.connect;
  const config::Server* configured = roster->find(server);
  if (configured == nullptr) {
    co_return unknown_server(Mode::connect, server).take();
  }
  if (configured->disabled) {
    co_return disabled_server(Mode::connect, server).take();
  }
  if (!roster->connected(server)) {
    context.phase("connecting to " + server);
  }
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await roster->open(server, servers::Use::on_demand, context.on_phase);
  if (!connection) {
    co_return failed_connect(Mode::connect, server, connection.error()).take();
  }
  co_return tool_list(*roster, server, request, marks_of);
}

}  // namespace pi_mcp::gateway
