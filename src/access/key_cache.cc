#include "access/key_cache.h"

#include <algorithm>
#include <utility>

namespace pi_mcp::access {

void KeyCache::begin() {
  is_fetching_ = true;
}

void KeyCache::succeed(KeySet keys, std::optional<Milliseconds> fresh, TimePoint now) {
  is_fetching_ = false;
  has_failed_ = false;
  retry_ = retry_first;
  keys_ = std::move(keys);
  ++version_;
  due_ = now + std::clamp(fresh.value_or(fresh_default), fresh_min, fresh_max);
  count_until_ = due_ + kept_max;
}

void KeyCache::fail(TimePoint now) {
  is_fetching_ = false;
  has_failed_ = true;
  due_ = now + retry_;
  retry_ = std::min(2 * retry_, retry_max);
}

bool KeyCache::ask(TimePoint now) {
  if (!is_fetching_ && due_ > now) {
    // Where there are no keys at all failures have a pace of their own, which is not hurried.
    if (!keys_ || (asked_ && now - *asked_ < unknown_pause)) {
      return false;
    }
    due_ = now;
  }
  asked_ = keys_ ? std::optional(now) : asked_;
  return true;
}

const KeySet* KeyCache::keys(TimePoint now) const {
  return keys_ && now < count_until_ ? &*keys_ : nullptr;
}

}  // namespace pi_mcp::access
