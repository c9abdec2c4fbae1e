// The store of replicas, for a command that ends logins there as well: --store, --session-key.
#pragma once

#include <optional>

#include "access/session_keys.h"
#include "auth/shared_logins.h"
#include "base/pinned.h"
#include "base/result.h"
#include "cli/setup.h"
#include "io/loop/task.h"
#include "replicas/redis.h"
#include "replicas/store_address.h"
#include "replicas/stored_logins.h"

namespace pi_mcp::cli {

class ReplicaStore : Pinned {
 public:
  struct Options {
    replicas::StoreAddress address;
    access::SessionKeys keys;
  };
  // nullopt: it is not wanted. invalid_argument: an option is wrong, or lacks the other one; io,
  // the file of keys cannot be read, or others may read it.
  static Result<std::optional<Options>> options(const Setup& setup);

  // `setup` outlives it.
  ReplicaStore(const io::Executor& executor, const Setup& setup, Options options);

  [[nodiscard]] auth::SharedLogins& logins() { return logins_; }
  void start() { store_.start(); }
  // Must have returned before destruction.
  io::Task<void> close();

 private:
  access::SessionKeys keys_;
  replicas::Redis store_;
  replicas::StoredLogins logins_;
};

}  // namespace pi_mcp::cli
