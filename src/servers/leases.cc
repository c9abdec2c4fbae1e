#include "servers/leases.h"

#include <utility>

namespace pi_mcp::servers {

void Leases::put(const std::string& key, const void* owner, Lease lease) {
  std::erase_if(leases_,
                [&](const Owned& owned) { return owned.owner == owner && owned.key == key; });
  leases_.push_back(
      {.key = key, .owner = owner, .lease = std::make_shared<const Lease>(std::move(lease))});
}

std::vector<std::string> Leases::remove(const void* owner) {
  std::vector<std::string> keys;
  for (const Owned& owned : leases_) {
    if (owned.owner == owner) {
      keys.push_back(owned.key);
    }
  }
  std::erase_if(leases_, [owner](const Owned& owned) { return owned.owner == owner; });
  return keys;
}

std::vector<std::shared_ptr<const Lease>> Leases::of(std::string_view key) const {
  std::vector<std::shared_ptr<const Lease>> found;
  for (const Owned& owned : leases_) {
    if (owned.key == key) {
      found.push_back(owned.lease);
    }
  }
  return found;
}

std::optional<LifecyclePolicy> Leases::policy(std::string_view key) const {
  std::optional<LifecyclePolicy> wanted;
  for (const auto& lease : of(key)) {
    wanted = wanted ? wanted->merged_with(lease->policy) : lease->policy;
  }
  return wanted;
}

std::shared_ptr<HostLink> Leases::only_host(std::string_view key) const {
  std::shared_ptr<HostLink> only;
  for (const auto& lease : of(key)) {
    const std::shared_ptr<HostLink> host = lease->host ? lease->host() : nullptr;
    if (host && only && host != only) {
      return nullptr;
    }
    only = host ? host : only;
  }
  return only;
}

}  // namespace pi_mcp::servers
