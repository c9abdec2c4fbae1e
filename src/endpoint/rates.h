// Who has made as many requests as it may: nothing is counted for those without a limit.
#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "access/principal.h"
#include "access/rate.h"
#include "base/pinned.h"
#include "base/time.h"
#include "endpoint/drawn_bucket.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "replicas/redis.h"

namespace pi_mcp::endpoint {

class Rates : Pinned {
 public:
  // That are remembered; each is forgotten once its bucket is full again.
  static constexpr std::size_t buckets_max = 65'536;

  // `store`: one bucket for all replicas; null: each process limits by itself. Outlives it.
  Rates(const io::Executor& executor, replicas::Redis* store) : store_(store), tasks_(executor) {}

  // Of each principal that has no rate of its own.
  void limit_all(const access::Rate& rate) { rate_ = rate; }

  struct Over {
    access::Rate rate;
    Duration wait{};
  };
  // So many requests more; nullopt: they may be made.
  std::optional<Over> count(const access::Principal& principal,
                            std::size_t requests,
                            TimePoint now);
  // Every second or so.
  void look_at_clock(TimePoint now);
  [[nodiscard]] std::size_t size() const { return buckets_.size(); }
  // Must have returned before destruction, and before the store is closed.
  io::Task<void> close();

 private:
  struct Key {
    std::string principal;
    access::Rate rate;
    auto operator<=>(const Key&) const = default;
  };
  using Bucket = std::shared_ptr<DrawnBucket>;
  const Bucket& bucket_of(const Key& key, TimePoint now);
  void ask(const Key& key, const Bucket& bucket, TimePoint now);
  io::Task<void> ask_store(Key key, Bucket bucket, DrawnBucket::Draw draw);

  replicas::Redis* store_;
  access::Rate rate_;
  std::map<Key, Bucket> buckets_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::endpoint
