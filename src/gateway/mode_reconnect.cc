#include "gateway/mode_reconnect.h"

#include "gateway/answer.h"
#include "gateway/failures.h"

namespace pi_mcp::gateway {
namespace {

using Failure = ToolResult::Failure;

std::vector<std::string> chosen_servers(const Roster& roster, const std::string& server) {
  return server.empty() ? roster.enabled_servers() : std::vector<std::string>{server};
}

}  // namespace

io::Task<ToolResult> reconnect_servers(Roster* roster, ToolRequest request, CallContext context) {
  if (!request.server.empty() && roster->find(request.server) == nullptr) {
    co_return unknown_server(Mode::reconnect, request.server).take();
  }
  if (!request.server.empty() && !roster->is_enabled(request.server)) {
    co_return disabled_server(Mode::reconnect, request.server).take();
  }
  std::string text;
  Failure failure = Failure::none;
  for (const std::string& server : chosen_servers(*roster, request.server)) {
    context.phase("reconnecting to " + server);
    const Result<std::shared_ptr<servers::Connection>> connection = co_await roster->reopen(server);
    text += text.empty() ? "" : "\n";
    if (connection) {
      const std::size_t tools = roster->catalog().tools(server).size();
      text += "\u2713 " + server + ": reconnected (" + std::to_string(tools) + " tools)";
    } else {
      text += "\u2717 " + server + ": " + connection.error().message();
      failure = failure_of(connection.error().code());
    }
  }
  text = text.empty() ? "No MCP servers configured" : text;
  co_return failure == Failure::none
      ? Answer(Mode::reconnect, std::move(text)).take()
      : Answer(Mode::reconnect, failure, "reconnect_failed", std::move(text)).take();
}

}  // namespace pi_mcp::gateway
