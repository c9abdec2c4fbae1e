#include "tool/forward.h"

#include <memory>
#include <utility>

#include "mcp/forwarded_request.h"

namespace pi_mcp::tool {

io::Task<Result<std::shared_ptr<servers::Connection>>> open_server(
    registry::ServerRegistry* registry, std::string server, CallContext context) {
  if (std::shared_ptr<servers::Connection> open = registry->connected(server)) {
    co_return open;
  }
  context.phase("starting " + server);
  co_return co_await registry->open(
      std::move(server), servers::Use::on_demand, std::move(context.on_phase));
}

io::Task<Result<rpc::Message>> ask_server(registry::ServerRegistry* registry,
                                          Forwarded what,
                                          CallContext context) {
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await open_server(registry, what.server, context);
  if (!connection) {
    co_return fail(connection.error());
  }
  co_return co_await (*connection)
      ->call(std::string(what.method),
             std::move(what.params),
             context.options(registry->deadlines(what.server)));
}

io::Task<rpc::Outgoing> forward(registry::ServerRegistry* registry,
                                Forwarded what,
                                const rpc::Message* request,
                                CallContext context) {
  const std::string server = what.server;
  co_return reply_of(
      *request, server, co_await ask_server(registry, std::move(what), std::move(context)));
}

rpc::Outgoing reply_of(const rpc::Message& request,
                       std::string_view server,
                       const Result<rpc::Message>& answer) {
  if (!answer) {
    return rpc::failure(request.id(),
                        rpc::error_code::internal_error,
                        std::string(server) + ": " + answer.error().message());
  }
  const json::Value error = answer->error();
  if (answer->kind() == rpc::Message::Kind::failure && !error.find("code").as_int()) {
    return rpc::failure(request.id(),
                        rpc::error_code::internal_error,
                        error.find("message").string_or("the server refused"));
  }
  return mcp::forwarded_answer(request.id(), *answer);
}

}  // namespace pi_mcp::tool
