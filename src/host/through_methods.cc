// The methods of a host that sees one server as it is. All that is not about the link between the
// host and us goes to the server. Three rows are those of methods.cc as well (ping, listening, log
// levels); of the others nearly every member differs, so one table would have two of each.
#include <algorithm>
#include <array>

#include "host/methods.h"
#include "mcp/methods.h"
#include "mcp/server/server_session.h"
#include "tool/through.h"

namespace pi_mcp::host {
namespace {

io::Task<rpc::Outgoing> introduce(gateway::Session* session,
                                  rpc::Message request,
                                  tool::CallContext context) {
  co_return co_await session->through()->introduce(&request, std::move(context));
}

io::Task<rpc::Outgoing> forward(gateway::Session* session,
                                rpc::Message request,
                                tool::CallContext context) {
  co_return co_await session->through()->forward(&request, std::move(context));
}

std::unique_ptr<tool::QuickForward> begin_forward(gateway::Session& session,
                                                  rpc::Message& request,
                                                  tool::CallContext& context,
                                                  tool::QuickForward::Ended ended) {
  return session.through()->begin_forward(request, context, std::move(ended));
}

namespace method = mcp::method;
using mcp::ServerSession;
using Has = mcp::DeclaredCapabilities;
using enum mcp::UpwardMethod::Since;
using enum mcp::UpwardMethod::By;
using enum mcp::UpwardMethod::In;

constexpr HostMethod asking(std::string_view name) {
  return {.row = {.name = name, .may_ask = true, .is_as_it_is = true, .by = server},
          .serve = forward,
          .begin_forward = begin_forward};
}

// What is called most stands first.
constexpr std::array table = {
    asking(method::tools_call),
    asking(method::prompts_get),
    asking(method::resources_read),
    HostMethod{.row = {.name = method::ping,
                       .since = handshake,
                       .in = handshake_only,
                       .by = protocol,
                       .protocol = &ServerSession::ping}},
    HostMethod{.row = {.name = method::initialize,
                       .since = handshake,
                       .in = handshake_only,
                       .is_greeting = true,
                       .by = server},
               .serve = introduce},
    HostMethod{.row = {.name = method::server_discover,
                       .in = discovery_only,
                       .is_as_it_is = true,
                       .by = server},
               .serve = introduce},
    HostMethod{
        .row = {.name = method::subscriptions_listen, .in = discovery_only, .by = listening}},
    HostMethod{.row = {.name = method::logging_set_level,
                       .in = handshake_only,
                       .needs = &Has::logging,
                       .by = protocol,
                       .protocol = &ServerSession::set_log_level}},
    // Counted with those of the other hosts of the server.
    HostMethod{.row = {.name = method::resources_subscribe, .in = handshake_only, .by = server},
               .serve = subscribe},
    HostMethod{.row = {.name = method::resources_unsubscribe, .in = handshake_only, .by = us},
               .answer = unsubscribe},
};

constexpr HostMethod any{.row = {.name = {}, .is_as_it_is = true, .by = server}, .serve = forward};
// Of 2025-11-25 they are no extension that a host and a server have agreed on, but belong to a
// connection, which several hosts may share.
constexpr HostMethod of_tasks{
    .row = {.name = {}, .in = discovery_only, .is_as_it_is = true, .by = server}, .serve = forward};

}  // namespace

const HostMethod* find_through_method(std::string_view name) {
  const auto* const found =
      std::ranges::find(table, name, [](const HostMethod& method) { return method.row.name; });
  if (found != table.end()) {
    return found;
  }
  return name.starts_with("tasks/") ? &of_tasks : &any;
}

}  // namespace pi_mcp::host
