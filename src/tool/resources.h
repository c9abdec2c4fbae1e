// The resources of all servers as resources of ours, and those that the host watches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/link/connection.h"
#include "tool/call_context.h"
#include "tool/own_resources.h"
#include "tool/resource_owners.h"

namespace pi_mcp::tool {

class ApprovalGate;

class Resources {
 public:
  // All outlive the value. `own` is null for a host that is not shown ours.
  Resources(registry::ServerRegistry& registry,
            ResourceOwners& owners,
            ApprovalGate& gate,
            OwnResources* own)
      : registry_(registry), owners_(owners), gate_(gate), own_(own) {}
  // From now on every resource is one of this server, listed or not.
  void stand_for(std::string server) { only_ = std::move(server); }
  Resources(const Resources&) = delete;
  Resources& operator=(const Resources&) = delete;
  Resources(Resources&&) = delete;
  Resources& operator=(Resources&&) = delete;
  // Nothing is watched any more.
  ~Resources();

  // The reply to resources/list or resources/templates/list, page by page: those of every
  // enabled server, from the cache where it does not run. One that several servers list comes once
  // for each, with the server in its title; params._meta["pi-mcp/server"] of the requests below
  // says whose is meant.
  rpc::Outgoing list(const rpc::Message& request);
  // True once after one of both has changed: the host has to be told.
  bool needs_notice();

  // The replies to resources/read, subscribe and unsubscribe. The server is started when it does
  // not run, and tells of a change as long as it does; when it runs again, what is watched counts
  // as changed. `request` outlives the task.
  io::Task<rpc::Outgoing> read(const rpc::Message* request, CallContext context);
  io::Task<rpc::Outgoing> subscribe(const rpc::Message* request, CallContext context);
  rpc::Outgoing unsubscribe(const rpc::Message& request);
  // The same for one who listens to several (subscriptions/listen). False: it cannot be watched.
  // Each true wants a stop_listening().
  io::Task<bool> listen(std::string uri, CallContext context);
  void stop_listening(const std::string& uri);

  // Connections may be other ones: watches there, too.
  void renew();
  // The server says that it has changed. True: the host watches it.
  bool note_update(std::string_view server, std::string_view uri);
  // Watched resources that have changed since this was asked.
  std::vector<std::string> take_updated();

 private:
  using Owner = tl::expected<std::string, rpc::Outgoing>;
  struct Watched {
    std::string server;
    std::weak_ptr<servers::Connection> connection;  // that was told
    bool is_subscribed = false;                     // by resources/subscribe
    std::size_t listening = 0;                      // see listen()
  };
  [[nodiscard]] Owner owner(const rpc::Message& request, bool has_not_found = true) const;
  [[nodiscard]] std::uint64_t fingerprint() const;
  // The refusal; nullopt: it is in watched_.
  io::Task<std::optional<rpc::Outgoing>> watch(const rpc::Message* request, CallContext context);
  io::Task<std::optional<rpc::Outgoing>> watch_at(const rpc::Message* request,
                                                  std::string server,
                                                  CallContext context);
  void drop_unwatched(const std::string& uri);

  registry::ServerRegistry& registry_;
  ResourceOwners& owners_;
  ApprovalGate& gate_;
  OwnResources* own_;
  std::string only_;                                     // empty: that of several servers
  std::map<std::string, Watched, std::less<>> watched_;  // by uri
  std::set<std::string, std::less<>> updated_;
  std::uint64_t told_ = 0;  // fingerprint of what the host knows; 0: it never asked
  bool noticed_ = false;    // the host was told that its list is out of date
};

}  // namespace pi_mcp::tool
