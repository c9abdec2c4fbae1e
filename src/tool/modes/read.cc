// mcp({ read, server? }): reads a resource by its uri, whether it is listed or not.
#include "base/text.h"
#include "io/loop/clock.h"
#include "registry/server_registry.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/lookup.h"
#include "tool/mode_parts.h"
#include "tool/modes/call.h"
#include "tool/resource_owners.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

Answer refused(Reply reply, const std::string& uri) {
  return reply.with("uri", echoed(uri)).take();
}

// `unknown`: of the servers that may have it and say nothing.
Answer not_found(const std::string& uri, const Message& unknown) {
  Message text = "No server is known to have " + quoted(echoed(uri)) +
                 ". To ask one all the same: " +
                 Message(NextStep{.mode = Mode::read, .subject = echoed(uri), .server = "name"});
  text += unknown.empty() ? "" : "\n" + unknown;
  return refused(Reply(Mode::read, Failure::not_found, "resource_not_found", std::move(text)), uri);
}

Answer ambiguous(const std::string& uri, const std::vector<std::string>& servers) {
  Reply reply(
      Mode::read,
      Failure::usage,
      "ambiguous_resource",
      "Several servers have " + quoted(echoed(uri)) + ": " + text::join(servers, ", ") +
          ". Choose one: " +
          Message(NextStep{.mode = Mode::read, .subject = echoed(uri), .server = servers.front()}));
  return refused(std::move(reply.with_json("servers", names_json(servers))), uri);
}

// The server to ask, or why none is.
tl::expected<std::string, Answer> server_of(const ModeParts& parts, const ToolRequest& request) {
  const registry::ServerRegistry& registry = *parts.registry;
  const std::string& named = request.server;
  if (named.empty()) {
    const std::vector<std::string> servers = parts.owners->of(request.subject);
    return servers.size() == 1 ? tl::expected<std::string, Answer>(servers.front())
           : servers.empty()   ? tl::unexpected(not_found(
                                   request.subject, unknown_text(unknown_servers(registry, ""))))
                               : tl::unexpected(ambiguous(request.subject, servers));
  }
  if (registry.find(named) == nullptr) {
    return tl::unexpected(unknown_server(Mode::read, registry, named).take());
  }
  if (!registry.is_enabled(named)) {
    return tl::unexpected(disabled_server(Mode::read, registry, named).take());
  }
  if (registry.catalog().hides_resource(named, request.subject)) {
    return tl::unexpected(not_found(request.subject, {}));
  }
  return named;
}

}  // namespace

io::Task<Answer> run_read(ModeParts* parts, ToolRequest request, CallContext context) {
  parts->registry->learn_from_others(request.server);
  const auto has_owner = [&] {
    return !parts->owners->of(request.subject).empty();
  };
  if (request.server.empty() && !is_own_uri(request.subject) && !has_owner()) {
    co_await wait_for_unknown(parts, "", context, has_owner, io::now() + parts->first_wait);
  }
  const tl::expected<std::string, Answer> server = server_of(*parts, request);
  if (!server) {
    co_return server.error();
  }
  Target target = resource_target(*parts->registry, *server, request.subject);
  co_return co_await call_target(parts, std::move(request), std::move(context), std::move(target));
}

}  // namespace pi_mcp::tool
