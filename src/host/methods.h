// Every method that a host may call, in one table (two: see find_through_method()): from when on,
// what it needs, who answers it and how.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "gateway/session.h"
#include "io/loop/task.h"
#include "mcp/server/server_session.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/call_context.h"

namespace pi_mcp::host {

struct HostMethod {
  // These give the whole reply. The bytes of the params live in the frame of the second.
  using Reply = rpc::Outgoing (*)(gateway::Session& session, const rpc::Message& request);
  using Serve = io::Task<rpc::Outgoing> (*)(gateway::Session* session,
                                            rpc::Message request,
                                            tool::CallContext context);
  // Begins it without a task; call_reply() writes what `ended` gets. Null: not this request.
  using Begin = std::unique_ptr<tool::QuickCall> (*)(gateway::Session& session,
                                                     const rpc::Message& request,
                                                     const tool::CallContext& context,
                                                     tool::QuickCall::Ended ended);

  // The same of a request to one server as it is, whose reply `ended` gets.
  using BeginForward = std::unique_ptr<tool::QuickForward> (*)(gateway::Session& session,
                                                               rpc::Message& request,
                                                               tool::CallContext& context,
                                                               tool::QuickForward::Ended ended);

  mcp::UpwardMethod row;
  Reply answer = nullptr;                // by us
  Serve serve = nullptr;                 // by a server
  Begin begin = nullptr;                 // is asked before `serve` where there is one
  BeginForward begin_forward = nullptr;  // likewise
};

// Null: there is no row for it.
const HostMethod* find_method(std::string_view name);
// The same of a host that sees one server as it is (gateway::Session::through()): never null.
const HostMethod* find_through_method(std::string_view name);

// The replies to resources/subscribe and unsubscribe.
io::Task<rpc::Outgoing> subscribe(gateway::Session* session,
                                  rpc::Message request,
                                  tool::CallContext context);
rpc::Outgoing unsubscribe(gateway::Session& session, const rpc::Message& request);

// Of initialize; empty where nothing is to be said of `mcp`.
std::string instructions(gateway::Session& session);

// The reply to a tools/call.
rpc::Outgoing call_reply(gateway::Session& session,
                         const rpc::Id& id,
                         const tool::Answer& answer,
                         bool with_details);

}  // namespace pi_mcp::host
