// Who wants which server, by launch key: what the lifecycle of a server has to do for all of them,
// and whom to tell what it says. Pure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "servers/pool.h"

namespace pi_mcp::servers {

class Leases {
 public:
  // An older lease of this owner on the same key is replaced.
  void put(const std::string& key, const void* owner, Lease lease);
  // Takes all leases of the owner away; the keys they were on.
  std::vector<std::string> remove(const void* owner);

  // Makes claims without an owner of the owner's leases, and of those whose time is over by then
  // nothing; the keys they are on.
  std::vector<std::string> rest(const void* owner, TimePoint now);
  std::vector<std::string> expire(TimePoint now);
  // The same with those that are `wanted`.
  std::vector<std::string> drop_claims(
      const std::function<bool(const std::string& key, const Lease& claim)>& wanted);
  // When expire() has something to do.
  [[nodiscard]] std::optional<TimePoint> next_expiry() const;

  // In the order of their coming. They stay valid when a lease is taken away meanwhile.
  [[nodiscard]] std::vector<std::shared_ptr<const Lease>> of(std::string_view key) const;
  // What all leases on the key want together; nullopt without any.
  [[nodiscard]] std::optional<LifecyclePolicy> policy(std::string_view key) const;
  [[nodiscard]] Milliseconds linger(std::string_view key) const;
  // Of the first who leases it and has a host with roots; null: there is none.
  [[nodiscard]] std::shared_ptr<HostLink> roots_host(std::string_view key) const;
  // What that session has declared; nullopt: it has no lease.
  [[nodiscard]] std::optional<mcp::ClientFeatures> features(std::string_view key,
                                                            const void* session) const;

 private:
  struct Owned {
    std::string key;
    const void* owner;  // null: it rests
    std::shared_ptr<const Lease> lease;
    TimePoint until = TimePoint::max();
  };
  void keep_longest(std::string_view key);

  std::vector<Owned> leases_;
};

}  // namespace pi_mcp::servers
