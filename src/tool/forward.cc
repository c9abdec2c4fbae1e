#include "tool/forward.h"

#include <memory>
#include <utility>

#include "json/writer.h"
#include "mcp/forwarded_request.h"
#include "mcp/own_meta.h"
#include "mcp/server/envelope.h"
#include "tool/failures.h"

namespace pi_mcp::tool {

SharedText params_of(const rpc::Message& request) {
  if (!mcp::has_envelope(request.params())) {
    return request.share(request.params());
  }
  json::Writer out;
  out.begin_object();
  for (const json::Member member : request.params().members()) {
    if (!member.key.equals("_meta") && !member.key.equals("inputResponses") &&
        !member.key.equals("requestState")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return SharedText(out.end_object().take());
}

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
             context.options(registry->deadlines(what.server), registry));
}

io::Task<rpc::Outgoing> forward(registry::ServerRegistry* registry,
                                Forwarded what,
                                const rpc::Message* request,
                                CallContext context) {
  const std::string server = what.server;
  const Result<rpc::Message> answer =
      co_await ask_server(registry, std::move(what), std::move(context));
  co_return reply_of(*registry, *request, server, answer);
}

SharedText invalid_uri(json::Value error) {
  json::Writer out;
  out.begin_object().member("code", rpc::error_code::invalid_params);
  for (const json::Member member : error.members()) {
    if (!member.key.equals("code")) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return SharedText(out.end_object().take());
}

rpc::Outgoing reply_of(registry::ServerRegistry& registry,
                       const rpc::Message& request,
                       const std::string& server,
                       const Result<rpc::Message>& answer) {
  if (!answer) {
    return rpc::failure(
        request.id(), rpc::error_code::internal_error, server + ": " + answer.error().message());
  }
  if (answer->kind() != rpc::Message::Kind::failure) {
    std::optional<std::string> cleaned = mcp::without_own_meta(answer->result());
    return cleaned ? rpc::result(request.id(), rpc::Outgoing(*std::move(cleaned)))
                   : mcp::forwarded_answer(request.id(), *answer);
  }
  const json::Value error = answer->error();
  const std::string words = error.find("message").string_or("the server refused");
  const std::string line = era_line(registry, server, words);
  const auto code = error.find("code").as_int();
  return code && line.empty() ? mcp::forwarded_answer(request.id(), *answer)
                              : rpc::failure(request.id(),
                                             code.value_or(rpc::error_code::internal_error),
                                             words + (line.empty() ? "" : "\n" + line),
                                             error.find("data").raw());
}

std::optional<rpc::Outgoing> lacks_text(const rpc::Message& request, std::string_view name) {
  if (request.params().find(name).is_string()) {
    return std::nullopt;
  }
  return rpc::failure(request.id(),
                      rpc::error_code::invalid_params,
                      request.method() + " needs params." + std::string(name) + ", a string");
}

json::Value cursor_of(const rpc::Message& request) {
  const json::Value cursor = request.params().find("cursor");
  return cursor.is(json::Kind::null) || cursor.equals("") ? json::Value() : cursor;
}

rpc::Outgoing foreign_cursor(const rpc::Message& request) {
  return rpc::failure(request.id(),
                      rpc::error_code::invalid_params,
                      "this cursor is not from here; begin again without one");
}

}  // namespace pi_mcp::tool
