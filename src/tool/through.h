// One server as it is: what a host that has this server alone in front of it asks goes to it, and
// what comes back is what it said (docs/decisions/0076-one-server-as-it-is.md).
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "io/loop/task.h"
#include "json/document.h"
#include "mcp/server/declared.h"
#include "registry/server_registry.h"
#include "registry/session_observer.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/link/connection.h"
#include "tool/call_context.h"

namespace pi_mcp::tool {

// Which server, and what of it.
struct ThroughOptions {
  std::string server;  // configured and enabled
  // The tools that there are for this host, by their own names; all others do not exist. nullopt:
  // all. What the session's configuration hides (Server::exclude_tools, only_tools, ...) is hidden
  // here, too.
  std::optional<std::set<std::string, std::less<>>> tools = std::nullopt;
};

// A request that waits for nothing but its server's answer, without a task. Destroying it before
// that cancels the server's call.
class QuickForward {
 public:
  // Nothing: the answer asks for more; finish() gives the reply.
  using Ended = std::function<void(std::optional<rpc::Outgoing>)>;

  QuickForward() = default;
  QuickForward(const QuickForward&) = delete;
  QuickForward& operator=(const QuickForward&) = delete;
  QuickForward(QuickForward&&) = delete;
  QuickForward& operator=(QuickForward&&) = delete;
  virtual ~QuickForward() = default;

  // It outlives the task.
  virtual io::Task<rpc::Outgoing> finish() = 0;
};

class Through {
 public:
  // `registry` outlives the value.
  Through(registry::ServerRegistry& registry, ThroughOptions options)
      : registry_(registry), options_(std::move(options)) {}

  // The replies to initialize and to server/discover: the server is started where it does not run,
  // and introduced as it has introduced itself. When it cannot be started, why. Requests outlive
  // the tasks.
  io::Task<rpc::Outgoing> introduce(const rpc::Message* request, CallContext context);
  // The reply to any other request: the server's, its error too.
  io::Task<rpc::Outgoing> forward(const rpc::Message* request, CallContext context);
  // The same for a request that nothing hides and nothing is to be added to, of a server that is
  // connected. `ended` is called once, later and from the loop, and may destroy it. Null: not such
  // a request; nothing was done, both are as they were, and forward() answers it.
  std::unique_ptr<QuickForward> begin_forward(rpc::Message& request,
                                              CallContext& context,
                                              QuickForward::Ended ended);

  // Nothing of such a message stays with the session once it is dealt with. Empty: an answer.
  [[nodiscard]] static bool leaves_nothing(std::string_view method);

  [[nodiscard]] const std::string& server() const { return options_.server; }
  // What the server has declared; all, as long as nobody knows.
  [[nodiscard]] mcp::DeclaredCapabilities declared() const;
  // Another session of the same host would be the same to the server: this one may go, and one that
  // comes later goes on.
  [[nodiscard]] bool is_interchangeable() const;
  // It runs, and this session has it.
  [[nodiscard]] bool is_running() const { return registry_.connected(options_.server) != nullptr; }
  // The server goes on as if this session used it, where it runs. Nothing comes of a failure.
  io::Task<void> hold();
  // Whether it runs anew since this was asked last: then its lists may be other ones.
  registry::Changes take_restart();

 private:
  class Running;
  using Opened = Result<std::shared_ptr<servers::Connection>>;
  [[nodiscard]] std::string hindrance() const;
  io::Task<Opened> open(servers::Use use);
  [[nodiscard]] bool hides_tool(const std::string& name) const;
  [[nodiscard]] bool hides_method(std::string_view method) const;
  [[nodiscard]] std::string hidden(const rpc::Message& request) const;
  io::Task<Result<rpc::Message>> ask(const rpc::Message* request, CallContext context);
  io::Task<rpc::Outgoing> finish(const rpc::Message* request,
                                 Result<rpc::Message> answer,
                                 CallContext context);
  io::Task<bool> show_pages_of(const rpc::Message* answer, CallContext context);
  [[nodiscard]] rpc::Outgoing unreachable(const rpc::Message& request, const Error& error) const;
  [[nodiscard]] std::string declared_by(const rpc::Message& request) const;
  [[nodiscard]] SharedText shown(std::string_view method, const rpc::Message& answer) const;
  [[nodiscard]] rpc::Outgoing reply(const rpc::Message& request,
                                    Result<rpc::Message> answer,
                                    mcp::Revision revision) const;

  registry::ServerRegistry& registry_;
  ThroughOptions options_;
  std::weak_ptr<servers::Connection> seen_;
  bool has_run_ = false;
};

}  // namespace pi_mcp::tool
