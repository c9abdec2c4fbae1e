#include "endpoint/rates.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/result.h"
#include "io/loop/clock.h"
#include "replicas/rate_store.h"
#include "replicas/redis_reply.h"

namespace pi_mcp::endpoint {

const Rates::Bucket& Rates::bucket_of(const Key& key, TimePoint now) {
  const auto found = buckets_.find(key);
  if (found != buckets_.end()) {
    return found->second;
  }
  if (buckets_.size() >= buckets_max) {
    look_at_clock(now);
  }
  if (buckets_.size() >= buckets_max) {
    buckets_.erase(buckets_.begin());
  }
  const auto sharing =
      store_ != nullptr ? DrawnBucket::Sharing::by_store : DrawnBucket::Sharing::alone;
  return buckets_.try_emplace(key, std::make_shared<DrawnBucket>(key.rate, sharing)).first->second;
}

std::optional<Rates::Over> Rates::count(const access::Principal& principal,
                                        std::size_t requests,
                                        TimePoint now) {
  const access::Rate rate = principal.rate.value_or(rate_);
  if (!rate.is_limit()) {
    return std::nullopt;
  }
  const Key key{.principal = principal.counted_as(), .rate = rate};
  const Bucket& counted = bucket_of(key, now);
  // A batch that could never be had would be refused for ever.
  const auto taken = static_cast<std::int64_t>(std::min<std::size_t>(requests, rate.burst));
  const Duration wait = counted->take(taken, now);
  ask(key, counted, now);
  return wait > Duration::zero() ? std::optional(Over{.rate = rate, .wait = wait}) : std::nullopt;
}

void Rates::ask(const Key& key, const Bucket& bucket, TimePoint now) {
  if (store_ == nullptr) {
    return;
  }
  if (const std::optional<DrawnBucket::Draw> due = bucket->due(now)) {
    tasks_.spawn("drawing of a rate", ask_store(key, bucket, *due), io::log_only);
  }
}

io::Task<void> Rates::ask_store(Key key, Bucket bucket, DrawnBucket::Draw draw) {
  for (std::optional<DrawnBucket::Draw> next = draw; next; next = bucket->due(io::now())) {
    const Result<replicas::RedisReply> reply = co_await store_->ask(
        replicas::draw_command(key.principal, key.rate, next->settle, next->want));
    if (reply && reply->kind == replicas::RedisReply::Kind::number) {
      bucket->answered(*next, reply->number, io::now());
    } else {
      bucket->failed(io::now());
    }
  }
}

void Rates::look_at_clock(TimePoint now) {
  for (auto each = buckets_.begin(); each != buckets_.end();) {
    ask(each->first, each->second, now);
    each = each->second->is_idle(now) ? buckets_.erase(each) : std::next(each);
  }
}

io::Task<void> Rates::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::endpoint
