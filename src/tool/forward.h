// A request of the host that one server answers: prompts/get, resources/read, completion/complete.
// And what is wrong in the same way with the parameters of several methods.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/link/connection.h"
#include "tool/call_context.h"

namespace pi_mcp::tool {

// What the server is asked.
struct Forwarded {
  std::string server;
  std::string_view method;
  SharedText params;
};

// The params of a request as they go on to a server: without what a host of a revision without a
// handshake says in each (CallContext::meta has the rest of its _meta), and without its answers to
// what was asked by an earlier result.
SharedText params_of(const rpc::Message& request);

// Its open connection, or a new one.
io::Task<Result<std::shared_ptr<servers::Connection>>> open_server(
    registry::ServerRegistry* registry, std::string server, CallContext context);

// Where params.NAME is not a text: the reply that says so.
std::optional<rpc::Outgoing> lacks_text(const rpc::Message& request, std::string_view name);

// Absent where the list is to begin: some hosts write null or "" for that.
json::Value cursor_of(const rpc::Message& request);
// The reply to a cursor that we have not given.
rpc::Outgoing foreign_cursor(const rpc::Message& request);

// Asks it over its open connection, or starts the server. An error: it was not reached.
io::Task<Result<rpc::Message>> ask_server(registry::ServerRegistry* registry,
                                          Forwarded what,
                                          CallContext context);

// The reply to `request`: the bytes of the server's result or error, and era_line() below an error.
// All pointers outlive the task.
io::Task<rpc::Outgoing> forward(registry::ServerRegistry* registry,
                                Forwarded what,
                                const rpc::Message* request,
                                CallContext context);

// A server's error about a resource that it does not have, for revisions without a code for that.
SharedText invalid_uri(json::Value error);

// The reply for what ask_server() gave.
rpc::Outgoing reply_of(registry::ServerRegistry& registry,
                       const rpc::Message& request,
                       const std::string& server,
                       const Result<rpc::Message>& answer);

}  // namespace pi_mcp::tool
