// What a process that serves over HTTP has in common with its replicas: --store, --advertise.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "access/session_keys.h"
#include "base/result.h"
#include "cli/setup.h"
#include "endpoint/metrics.h"
#include "endpoint/routing.h"
#include "endpoint/sessions.h"
#include "io/loop/task.h"
#include "replicas/forwarder.h"
#include "replicas/owners.h"
#include "replicas/redis.h"
#include "replicas/store_address.h"
#include "replicas/stored_listings.h"
#include "replicas/stored_logins.h"

namespace pi_mcp::cli {

struct ReplicaOptions {
  std::string own_url;                            // without a path
  std::optional<replicas::StoreAddress> address;  // nullopt: without a store
};

// nullopt: there is one process. invalid_argument: an option is wrong, or wants another one.
Result<std::optional<ReplicaOptions>> replica_options(const Setup& setup);

// --store, with the password that the environment has for it. invalid_argument: it is none.
Result<std::optional<replicas::StoreAddress>> store_option_of(const Setup& setup);

class Replica {
 public:
  // `keys` and `setup` outlive it. `lost`: see replicas::Owners.
  Replica(const io::Executor& executor,
          const Setup& setup,
          const access::SessionKeys& keys,
          ReplicaOptions options,
          std::function<void(const std::string& nonce)> lost);

  void start();
  [[nodiscard]] endpoint::Routing& routing() { return routing_; }
  // Null: there is none.
  [[nodiscard]] replicas::Redis* store() { return store_ ? &*store_ : nullptr; }
  [[nodiscard]] endpoint::Metrics::Replica figures() const;
  // For config::Settings of sessions; null: without a store.
  [[nodiscard]] auth::SharedLogins* logins() { return logins_ ? &*logins_ : nullptr; }
  // For the gateway; null: without a store.
  [[nodiscard]] catalog::SharedListings* listings() { return listings_ ? &*listings_ : nullptr; }
  // What sessions tell it, added to their options.
  void listen_to(endpoint::Sessions::Options& options);
  void look_at_clock(const endpoint::Sessions& sessions);
  // Requests on their way to other replicas end.
  io::Task<void> end_routing();
  // Other replicas know that nothing is held here any more: sessions and servers have ended. Must
  // have returned before destruction.
  io::Task<void> close();

 private:
  std::string own_url_;
  std::optional<replicas::Redis> store_;
  std::optional<replicas::Owners> owners_;
  std::optional<replicas::StoredLogins> logins_;
  // What is long has a connection of its own: nobody's session waits for it.
  std::optional<replicas::Redis> listing_store_;
  std::optional<replicas::StoredListings> listings_;
  replicas::Forwarder forwarder_;
  endpoint::Routing routing_;
};

}  // namespace pi_mcp::cli
