// What servers have listed to replicas, in their store: sealed, so that nobody else puts words
// before a model. Read and written in the background, one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "access/session_keys.h"
#include "base/result.h"
#include "base/time.h"
#include "catalog/shared_listings.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "replicas/redis.h"

namespace pi_mcp::replicas {

// What a listing is found by: 64 hexadecimal digits.
std::string listing_id(const catalog::ListingName& name);
// Empty: it is longer than catalog::shared_listing_bytes_max.
std::string sealed_listing(const access::SessionKeys& keys,
                           const catalog::ListingName& name,
                           std::string_view text);
// nullopt: none of these keys has sealed it for this name.
std::optional<std::string> opened_listing(const access::SessionKeys& keys,
                                          const catalog::ListingName& name,
                                          std::string_view sealed);

class StoredListings final : public catalog::SharedListings {
 public:
  // As long as cached lists count (catalog::cache_age_max_ms).
  static constexpr std::chrono::seconds listing_age_max{std::int64_t{7} * 24 * 3600};
  static constexpr Milliseconds ask_pause{2'000};
  // Waiting to be done; what comes on top is not known, or not told.
  static constexpr std::size_t waiting_max = 1024;
  static constexpr std::size_t offered_bytes_max = std::size_t{32} << 20U;
  // Of which it is known when they were asked for, and what was told.
  static constexpr std::size_t remembered_max = 8192;
  // Of a reply: base64 of the longest text, and what is around it.
  static constexpr std::size_t reply_bytes_max = catalog::shared_listing_bytes_max / 3 * 4 + 4096;

  // `store` (with reply_bytes_max) and `keys` outlive it.
  StoredListings(const io::Executor& executor, Redis& store, const access::SessionKeys& keys);

  void offer(catalog::ListingName name, std::string text, std::string content) override;
  void want(catalog::ListingName name, std::function<void(const std::string& text)> got) override;
  io::Task<void> settle(TimePoint deadline) override;

  void start();
  // What still waits is dropped. Must have returned before destruction.
  io::Task<void> close();

 private:
  using Got = std::function<void(const std::string& text)>;
  struct Offer {
    std::string text;
    std::string content;
  };
  io::Task<void> run();
  io::Task<void> tell(catalog::ListingName name, Offer offer);
  io::Task<void> ask(catalog::ListingName name, Got got);

  Redis& store_;
  const access::SessionKeys& keys_;
  std::map<catalog::ListingName, Offer> offers_;
  std::size_t offered_bytes_ = 0;
  std::deque<std::pair<catalog::ListingName, Got>> wants_;
  std::map<std::string, TimePoint> asked_;   // by listing_id()
  std::map<std::string, std::string> told_;  // by listing_id(): the content
  bool is_asking_ = false;
  io::Condition changed_;
  io::Condition settled_;
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::replicas
