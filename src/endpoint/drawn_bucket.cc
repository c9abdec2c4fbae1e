#include "endpoint/drawn_bucket.h"

#include <algorithm>

namespace pi_mcp::endpoint {
namespace {

// Small, so that little lies at a replica that nobody asks; large enough that a busy one asks the
// store a dozen times while its burst is used.
constexpr std::int64_t batches_in_burst = 8;
// Who begins with several calls at once is let through before the first answer is there.
constexpr std::int64_t credits_in_burst = 2;

}  // namespace

DrawnBucket::DrawnBucket(const access::Rate& rate, Sharing sharing)
    : sharing_(sharing),
      own_(rate),
      batch_(std::max<std::int64_t>(1, rate.burst / batches_in_burst)),
      credit_(std::max<std::int64_t>(1, rate.burst / credits_in_burst)) {}

bool DrawnBucket::is_by_itself(TimePoint now) const {
  return sharing_ == Sharing::alone || has_failed_ || (is_drawing_ && now - drew_ > patience);
}

Duration DrawnBucket::take(std::int64_t count, TimePoint now) {
  asked_ = now;
  is_wanted_ = true;
  Duration wait = own_.wait(count, now);
  if (wait == Duration::zero() && !is_by_itself(now)) {
    wait = take_drawn(count, now);
  }
  if (wait == Duration::zero()) {
    own_.take(count, now);
  }
  return wait;
}

Duration DrawnBucket::take_drawn(std::int64_t count, TimePoint now) {
  if (left_ >= count) {
    left_ -= count;
    return Duration::zero();
  }
  if (now < blocked_) {
    return blocked_ - now;
  }
  const std::int64_t missing = count - left_;
  if (owed_ > 0 && owed_ + missing > credit_) {
    return patience;
  }
  owed_ += missing;
  left_ = 0;
  return Duration::zero();
}

std::optional<DrawnBucket::Draw> DrawnBucket::wanted(TimePoint now) const {
  if (sharing_ == Sharing::alone || is_drawing_) {
    return std::nullopt;
  }
  if (has_failed_) {
    return asked_ >= retry_ ? std::optional(Draw{.settle = 0, .want = batch_}) : std::nullopt;
  }
  const bool may_draw = is_wanted_ && now >= blocked_ && left_ <= batch_ / 2;
  if (may_draw || owed_ > 0) {
    return Draw{.settle = owed_, .want = may_draw ? batch_ - left_ : 0};
  }
  return left_ > 0 && now - asked_ >= keep_max ? std::optional(Draw{.settle = -left_, .want = 0})
                                               : std::nullopt;
}

std::optional<DrawnBucket::Draw> DrawnBucket::due(TimePoint now) {
  const std::optional<Draw> draw = wanted(now);
  if (draw) {
    left_ = draw->settle < 0 ? 0 : left_;
    owed_ = 0;
    is_wanted_ = false;
    is_drawing_ = true;
    drew_ = now;
  }
  return draw;
}

void DrawnBucket::answered(const Draw& draw, std::int64_t answer, TimePoint now) {
  is_drawing_ = false;
  has_failed_ = false;
  if (answer < 0) {
    blocked_ = now + Milliseconds(-std::max(answer, -std::int64_t{blocked_max.count()}));
    return;
  }
  const std::int64_t given = std::min(answer, draw.want);
  const std::int64_t used = std::min(left_ + given, owed_);
  left_ += given - used;
  owed_ -= used;
}

void DrawnBucket::failed(TimePoint now) {
  is_drawing_ = false;
  has_failed_ = true;
  retry_ = now + retry_pause;
  blocked_ = {};
  left_ = 0;
  owed_ = 0;
}

bool DrawnBucket::is_idle(TimePoint now) const {
  return !is_drawing_ && left_ == 0 && owed_ == 0 && blocked_ <= now && own_.is_full(now);
}

}  // namespace pi_mcp::endpoint
