// Who wants which server, by launch key: what the lifecycle of a server has to do for all of them,
// and whom to tell what it says. Pure.
#pragma once

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

  // In the order of their coming. They stay valid when a lease is taken away meanwhile.
  [[nodiscard]] std::vector<std::shared_ptr<const Lease>> of(std::string_view key) const;
  // What all leases on the key want together; nullopt without any.
  [[nodiscard]] std::optional<LifecyclePolicy> policy(std::string_view key) const;
  // The host of those who lease it; null when none has one, or when they have different ones.
  [[nodiscard]] std::shared_ptr<HostLink> only_host(std::string_view key) const;

 private:
  struct Owned {
    std::string key;
    const void* owner;
    std::shared_ptr<const Lease> lease;
  };
  std::vector<Owned> leases_;
};

}  // namespace pi_mcp::servers
