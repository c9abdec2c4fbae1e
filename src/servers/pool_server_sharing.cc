// How the sessions that lease one server of the pool share it: what of it is whose, and when they
// part.
#include <algorithm>
#include <utility>

#include "io/loop/clock.h"
#include "servers/pool_server.h"

namespace pi_mcp::servers {

// A session that has left still waits for its calls.
mcp::ClientFeatures PoolServer::features_of(const void* session, const mcp::Host& host) const {
  // Every host that the machine knows came with a call of ours.
  return shared_.leases.features(key_, session)
      .value_or(static_cast<const HostLink&>(host).features());
}

// A new connection: nobody has left anything in it.
void PoolServer::begin_sharing() {
  sessions_.clear();
  told_roots_.reset();
  note_sessions();
  const std::vector<std::shared_ptr<const Lease>> leases = shared_.leases.of(key_);
  const bool is_claimed = std::ranges::any_of(
      leases, [this](const auto& lease) { return lease->session_name == only_for_; });
  if (!is_claimed) {
    only_for_.clear();
  }
}

void PoolServer::note_sessions() {
  for (const auto& lease : shared_.leases.of(key_)) {
    if (lease->session != nullptr && sessions_.size() <= 1) {  // more is as good as two
      sessions_.insert(lease->session);
    }
  }
}

std::vector<std::shared_ptr<const Lease>> PoolServer::of_session(const void* session) const {
  std::vector<std::shared_ptr<const Lease>> found = shared_.leases.of(key_);
  const bool is_anybodys = session == nullptr && sessions_.size() <= 1;
  std::erase_if(found, [&](const std::shared_ptr<const Lease>& lease) {
    const bool is_its =
        lease->session == session ||
        (lease->host && static_cast<const mcp::Host*>(lease->host().get()) == session);
    return !is_anybodys && (session == nullptr || !is_its);
  });
  return found;
}

// What a connection tells.

ConnectionEvents PoolServer::events_of(std::uint64_t serial) {
  const auto telling = [this](auto event) {
    return [this, event](const auto&... what) {
      for (const auto& lease : shared_.leases.of(key_)) {
        if (lease->events.*event) {
          (lease->events.*event)(what...);
        }
      }
    };
  };
  ConnectionEvents events;
  events.listing_changed = telling(&ConnectionEvents::listing_changed);
  events.lists_changed = telling(&ConnectionEvents::lists_changed);
  const auto telling_one = [this](auto event) {
    return [this, event](json::Value what, const void* session) {
      for (const auto& lease : of_session(session)) {
        if (lease->events.*event) {
          (lease->events.*event)(what, session);
        }
      }
    };
  };
  events.log_message = telling_one(&ConnectionEvents::log_message);
  events.starting = telling(&ConnectionEvents::starting);
  events.wrote_stderr = telling(&ConnectionEvents::wrote_stderr);
  events.elicitation_complete = telling_one(&ConnectionEvents::elicitation_complete);
  events.asked = [this](const mcp::action::Asked& asked) {
    on_asked(asked);
  };
  events.told_roots = [this](const mcp::Host* host, const std::string& roots) {
    on_told_roots(host, roots);
  };
  events.resource_updated = telling(&ConnectionEvents::resource_updated);
  events.ended = [this, serial](const transport::LinkEnd& end) {
    on_ended(serial, end);
  };
  return events;
}

// Who has asked may go on here; where it could not be told whom, the first.
void PoolServer::on_asked(const mcp::action::Asked& asked) {
  const std::vector<std::shared_ptr<const Lease>> leases = shared_.leases.of(key_);
  for (const bool is_first : {true, false}) {
    for (const std::shared_ptr<const Lease>& lease : leases) {
      const bool goes_on = (lease->session == asked.session) != asked.is_beyond;
      if (goes_on == is_first && lease->events.asked) {
        lease->events.asked(asked);
      }
    }
  }
}

void PoolServer::on_told_roots(const mcp::Host* host, const std::string& roots) {
  told_roots_ = roots;
  for (const std::shared_ptr<const Lease>& lease : shared_.leases.of(key_)) {
    if (lease->told_roots) {
      // Every host that the machine knows came with a call of ours.
      const auto* const told = static_cast<const HostLink*>(host);
      const std::shared_ptr<HostLink> own = lease->host ? lease->host() : nullptr;
      lease->told_roots(roots, own && told != nullptr && own->identity() == told->identity());
    }
  }
}

bool PoolServer::may_serve(const Launch& launch) const {
  return is_in_use() && launch.session == (only_for_.empty() ? launch_session_ : only_for_) &&
         key_of_any_session_ == launch.key_of_any_session() &&
         mcp::covers(features_, launch.features) &&
         told_roots_.value_or(launch_roots_) == launch.roots;
}

Launch PoolServer::as_served(Launch launch) const {
  launch.features = features_;
  launch.session = launch_session_;
  launch.roots = launch_roots_;
  launch.copy = copy_;
  return launch;
}

void PoolServer::keep_for(const std::string& session_name) {
  only_for_ = only_for_.empty() ? session_name : only_for_;
  for (const std::shared_ptr<const Lease>& lease : shared_.leases.of(key_)) {
    if (lease->parted && lease->session_name != only_for_) {
      lease->parted();
    }
  }
}

bool PoolServer::shares_roots() const {
  return told_roots_ && shared_.leases.of(key_).size() > 1;
}

bool PoolServer::is_done() const {
  const LifecycleState state = lifecycle_.state();
  const bool is_forgotten = state == LifecycleState::stopped ||
                            (state == LifecycleState::failed && !lifecycle_.refuses_use(io::now()));
  return is_forgotten && !is_in_use() && ending_.empty() && acquiring_ == 0 &&
         lifecycle_.calls_in_flight() == 0 && shared_.leases.of(key_).empty();
}

}  // namespace pi_mcp::servers
