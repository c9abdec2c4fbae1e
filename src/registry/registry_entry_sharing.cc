// With whom a session shares a server of its own: what it is started with for that, and when the
// session leaves a connection to others.
#include <string>
#include <utility>

#include "mcp/methods.h"
#include "registry/registry_entry.h"
#include "servers/share/roots.h"
#include "servers/share/scope.h"

namespace pi_mcp::registry {

mcp::ClientFeatures RegistryEntry::declared() const {
  return declared_features(context_.host.get(), context_.configuration.settings(), server_.get());
}

// What the server is told of our host, in the launch of its connection.
void RegistryEntry::introduce(servers::Launch& launch) const {
  if (!context_.host) {
    return;
  }
  launch.features = declared();
  if (!context_.configuration.sharing().with_others && launch.features.roots) {
    launch.session = context_.session;
  }
}

// What was found out only after its first start does not change what it is started with.
servers::Sharing RegistryEntry::sharing() const {
  if (!context_.configuration.sharing().with_others) {
    return {};
  }
  const servers::Scope scope = servers::scope_of(*server_, context_.seen(*this));
  const servers::Scope first = servers::scope_of(*server_, {});
  const bool is_for_one = scope.share == config::Share::session;
  return {.with_others = true,
          .share = is_for_one ? first.share : scope.share,
          .session = is_for_one ? context_.scope() : ""};
}

bool RegistryEntry::shares_with_all() const {
  const servers::SeenOfServer seen = context_.seen(*this);
  return context_.configuration.sharing().with_others && !(declared().roots && seen.asks_roots) &&
         servers::scope_of(*server_, seen).share != config::Share::session;
}

io::Task<std::string> RegistryEntry::own_roots() {
  if (context_.roots) {
    co_return *context_.roots;
  }
  const std::shared_ptr<servers::HostLink> host = context_.host;
  const Result<rpc::Message> answer =
      co_await host->ask(std::string(mcp::method::roots_list), SharedText(std::string("{}")));
  const std::string roots = answer ? servers::roots_digest(*answer) : "";
  if (!roots.empty() && context_.host == host) {
    context_.roots = roots;
  }
  co_return roots.empty() ? context_.session : roots;  // those of nobody else
}

// Where the pool has a connection that another session has begun, the same.
io::Task<servers::Launch> RegistryEntry::place(servers::Launch launch) {
  if (!context_.configuration.sharing().with_others) {
    co_return launch;
  }
  if (launch.features.roots && context_.host && context_.seen(*this).asks_roots) {
    launch.roots = co_await own_roots();
  }
  co_return context_.pool.placed(std::move(launch));
}

void RegistryEntry::note_asked(const mcp::action::Asked& asked) {
  servers::SeenOfServer seen = context_.seen(*this);
  const bool is_roots = asked.method == mcp::method::roots_list;
  seen.asks_roots = seen.asks_roots || is_roots;
  seen.has_asked = seen.has_asked || !is_roots || asked.is_beyond;
  if (seen != context_.seen(*this)) {
    context_.on_seen(*this, seen);
  }
  keep_if_stateful();
}

void RegistryEntry::note_roots(const std::string& roots, bool is_own) {
  if (is_own) {
    context_.roots = roots;
  } else if (context_.configuration.sharing().with_others && context_.roots != roots) {
    leave();
  }
}

void RegistryEntry::keep_if_stateful() {
  if (!context_.configuration.sharing().with_others || key_.empty()) {
    return;
  }
  const servers::Scope scope = servers::scope_of(*server_, context_.seen(*this));
  if (scope.share == config::Share::session) {
    context_.pool.keep_for(key_, context_.scope());
  }
}

void RegistryEntry::tell_roots_changed() {
  if (!connection_) {
    return;
  }
  // Others have the roots that it has had, and the server tells no two apart.
  if (context_.configuration.sharing().with_others && context_.pool.shares_roots(key_)) {
    leave();
  } else {
    connection_->tell_roots_changed();
  }
}

}  // namespace pi_mcp::registry
