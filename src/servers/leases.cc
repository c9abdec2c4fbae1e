#include "servers/leases.h"

#include <algorithm>
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

std::vector<std::string> Leases::rest(const void* owner, TimePoint now) {
  std::vector<std::string> keys;
  for (Owned& owned : leases_) {
    if (owned.owner != owner) {
      continue;
    }
    keys.push_back(owned.key);
    Lease claim;
    claim.policy = owned.lease->policy;
    claim.linger = owned.lease->linger;
    claim.session_name = owned.lease->session_name;
    claim.project_entry = owned.lease->project_entry;
    owned.until = owned.lease->rest_max ? now + *owned.lease->rest_max : TimePoint::max();
    owned.owner = nullptr;
    owned.lease = std::make_shared<const Lease>(std::move(claim));
  }
  for (const std::string& key : keys) {
    keep_longest(key);
  }
  return keys;
}

// One claim that rests on a key is enough.
void Leases::keep_longest(std::string_view key) {
  const Owned* longest = nullptr;
  for (const Owned& owned : leases_) {
    const bool rests = owned.owner == nullptr && owned.key == key;
    if (rests && (longest == nullptr || owned.until >= longest->until)) {
      longest = &owned;
    }
  }
  const std::shared_ptr<const Lease> kept = longest->lease;
  std::erase_if(leases_, [&](const Owned& owned) {
    return owned.owner == nullptr && owned.key == key && owned.lease != kept;
  });
}

std::vector<std::string> Leases::expire(TimePoint now) {
  std::vector<std::string> keys;
  for (const Owned& owned : leases_) {
    if (owned.until <= now) {
      keys.push_back(owned.key);
    }
  }
  std::erase_if(leases_, [now](const Owned& owned) { return owned.until <= now; });
  return keys;
}

std::vector<std::string> Leases::drop_claims(
    const std::function<bool(const std::string& key, const Lease& claim)>& wanted) {
  std::vector<std::string> keys;
  std::erase_if(leases_, [&](const Owned& owned) {
    const bool drops = owned.owner == nullptr && wanted(owned.key, *owned.lease);
    if (drops) {
      keys.push_back(owned.key);
    }
    return drops;
  });
  return keys;
}

std::optional<TimePoint> Leases::next_expiry() const {
  const auto next = std::ranges::min_element(leases_, {}, &Owned::until);
  return next == leases_.end() || next->until == TimePoint::max() ? std::nullopt
                                                                  : std::optional(next->until);
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

Milliseconds Leases::linger(std::string_view key) const {
  Milliseconds longest{0};
  for (const auto& lease : of(key)) {
    longest = std::max(longest, lease->linger);
  }
  return longest;
}

std::shared_ptr<HostLink> Leases::roots_host(std::string_view key) const {
  for (const auto& lease : of(key)) {
    const std::shared_ptr<HostLink> host = lease->host ? lease->host() : nullptr;
    if (host && host->features().roots) {
      return host;
    }
  }
  return nullptr;
}

std::optional<mcp::ClientFeatures> Leases::features(std::string_view key,
                                                    const void* session) const {
  for (const auto& lease : of(key)) {
    if (lease->session == session && session != nullptr) {
      return lease->features;
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::servers
