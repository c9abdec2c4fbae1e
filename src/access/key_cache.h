// The keys of one issuer over time: when they are to be fetched, and how long they count. Time goes
// in, what is to be done comes out. Pure.
#pragma once

#include <optional>

#include "access/key_set.h"
#include "base/time.h"

namespace pi_mcp::access {

class KeyCache {
 public:
  // What an issuer may say of how long its keys are fresh, and what counts where it says nothing.
  static constexpr Milliseconds fresh_min{5 * 60'000};
  static constexpr Milliseconds fresh_max{24 * 3'600'000};
  static constexpr Milliseconds fresh_default{3'600'000};
  // Keys count for this long after they should have been fetched anew and could not be.
  static constexpr Milliseconds kept_max{24 * 3'600'000};
  // Tokens with names of keys that nobody knows cost an issuer no more than this.
  static constexpr Milliseconds unknown_pause{30'000};
  // After a failure: this, twice as long after each further one, at most the second.
  static constexpr Milliseconds retry_first{1'000};
  static constexpr Milliseconds retry_max{60'000};

  // When to begin a fetch; max(): not before something happens. One at a time.
  [[nodiscard]] TimePoint due() const { return is_fetching_ ? TimePoint::max() : due_; }
  void begin();
  // `fresh`: as the issuer said.
  void succeed(KeySet keys, std::optional<Milliseconds> fresh, TimePoint now);
  void fail(TimePoint now);

  // A token needs a key that is not here. True: a fetch is under way, or due now, and will tell.
  bool ask(TimePoint now);
  // Null: there were none yet, or they are too old.
  [[nodiscard]] const KeySet* keys(TimePoint now) const;
  // The last fetch failed: what is not here may be there.
  [[nodiscard]] bool has_failed() const { return has_failed_; }
  // Counts successes.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  bool is_fetching_ = false;
  bool has_failed_ = false;
  TimePoint due_ = TimePoint::min();
  std::optional<TimePoint> asked_;  // for a key, the last time that it helped
  Milliseconds retry_ = retry_first;
  std::optional<KeySet> keys_;
  TimePoint count_until_;
  std::uint64_t version_ = 0;
};

}  // namespace pi_mcp::access
