// Fetches the keys of authorization servers, in the background, when KeyCache wants them.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "access/key_cache.h"
#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/net/http_client.h"

namespace pi_mcp::access {

class KeyFetch : Pinned {
 public:
  // From the first byte to the last, the issuer's metadata and its keys.
  static constexpr Milliseconds fetch_max{5'000};

  struct Options {
    std::map<std::string, std::string> environment;  // proxies, certificates
    std::vector<std::string> private_hosts;          // settings.privateHosts
    std::function<void()> fetched;                   // whatever came of it
    Milliseconds fetch_max = KeyFetch::fetch_max;
  };
  // `caches`, by issuer, outlive it.
  KeyFetch(const io::Executor& executor,
           std::map<std::string, KeyCache, std::less<>>& caches,
           Options options);

  void start();
  // Somebody has asked a cache for a key.
  void look() { changed_.notify_all(); }
  // Waits for the first fetch of each issuer to be over.
  io::Task<void> first();
  // Must have returned before destruction if start() was called.
  io::Task<void> stop();

 private:
  struct Fetched;
  void begin(const std::string& issuer, KeyCache* cache);
  io::Task<void> keep(std::string issuer, KeyCache* cache);
  void end_fetch(const std::string& issuer, KeyCache* cache, Result<Fetched> fetched);
  io::Task<Result<Fetched>> fetch(std::string issuer);
  io::Task<Result<http::Answer>> get(http::Request request, TimePoint deadline);
  void tell(const std::string& issuer, const std::string& failure);

  std::map<std::string, KeyCache, std::less<>>& caches_;
  Options options_;
  io::HttpClient client_;
  io::Condition changed_;
  std::map<std::string, std::string> said_;  // the last failure, by issuer
  std::set<std::string> first_left_;         // issuers whose first fetch is not over
  io::TaskGroup tasks_;
};

// How long an answer says that it is fresh (RFC 9111 section 5.2.2). nullopt: it does not say.
[[nodiscard]] std::optional<Milliseconds> freshness(const http::Head& head);

}  // namespace pi_mcp::access
