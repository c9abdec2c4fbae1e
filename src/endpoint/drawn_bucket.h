// What one replica lets through of a rate that all replicas have together: it draws from the
// store's bucket in batches, ahead of need, and never waits for an answer
// (docs/decisions/0083-rates.md). Time is an argument. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "access/rate.h"
#include "base/time.h"
#include "endpoint/token_bucket.h"

namespace pi_mcp::endpoint {

class DrawnBucket {
 public:
  // What nobody has taken for so long goes back, so that other replicas can have it.
  static constexpr Milliseconds keep_max{1'000};
  // A store that takes longer does not count until it has answered.
  static constexpr Milliseconds patience{200};
  // Until one that has failed is asked again.
  static constexpr Milliseconds retry_pause{1'000};
  // Whatever the store says, it is asked again after so long.
  static constexpr Milliseconds blocked_max{60'000};

  enum class Sharing : std::uint8_t { alone, by_store };
  // `rate` is a limit.
  DrawnBucket(const access::Rate& rate, Sharing sharing);

  // Takes so many, at most the burst, if they may be had now: then zero. Else how long it is
  // worth waiting.
  Duration take(std::int64_t count, TimePoint now);

  struct Draw {
    std::int64_t settle = 0;  // let through already; negative: is given back
    std::int64_t want = 0;
    bool operator==(const Draw&) const = default;
  };
  // What the store is to be asked now, after take() and every second or so. Then nothing more until
  // one of the next two has been called.
  std::optional<Draw> due(TimePoint now);
  // `answer`: so many are given; 0: none was wanted; negative: none before so many milliseconds
  // from now.
  void answered(const Draw& draw, std::int64_t answer, TimePoint now);
  void failed(TimePoint now);

  // A new one would be the same.
  [[nodiscard]] bool is_idle(TimePoint now) const;

 private:
  [[nodiscard]] bool is_by_itself(TimePoint now) const;
  Duration take_drawn(std::int64_t count, TimePoint now);
  [[nodiscard]] std::optional<Draw> wanted(TimePoint now) const;

  Sharing sharing_;
  // What this replica has let through: alone, or without the store, it may not be more than the
  // rate, and with it neither.
  TokenBucket own_;
  std::int64_t batch_;
  std::int64_t credit_;     // may be owed while an answer is under way
  std::int64_t left_ = 0;   // of what was drawn
  std::int64_t owed_ = 0;   // let through and not said to the store
  TimePoint blocked_;       // until then there is nothing to draw
  TimePoint asked_;         // the last take()
  bool is_wanted_ = false;  // since the last draw
  bool is_drawing_ = false;
  TimePoint drew_;  // while is_drawing_
  bool has_failed_ = false;
  TimePoint retry_;  // while has_failed_
};

}  // namespace pi_mcp::endpoint
