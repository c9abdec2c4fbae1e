// What servers have listed to other processes that have no disk in common with this one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::catalog {

// Of what is offered; what is larger stays with who has it.
constexpr std::size_t shared_listing_bytes_max = std::size_t{4} << 20U;

// Before servers are started in place of what the others may know.
constexpr Milliseconds hearing_max{1'000};

// To whom, and to which definition of a server, a listing belongs.
struct ListingName {
  std::string principal;  // empty: the user
  std::string server;
  std::string identity;  // CacheIdentity::own
  std::string declared;  // CacheEntry::declared
  auto operator<=>(const ListingName&) const = default;
};

// What cannot be told or had is not known, which is no error.
class SharedListings {
 public:
  SharedListings() = default;
  SharedListings(const SharedListings&) = delete;
  SharedListings& operator=(const SharedListings&) = delete;
  virtual ~SharedListings() = default;

  // `text`: a cache file with one entry; `content` is the same for two that differ in their time
  // alone.
  virtual void offer(ListingName name, std::string text, std::string content) = 0;
  // Tells `got` later, from the loop, what was offered last; nothing if there is none. Asked again
  // while that is under way, or right after it, it does nothing.
  virtual void want(ListingName name, std::function<void(const std::string& text)> got) = 0;
  // Returns when nothing is wanted any more, or at `deadline`.
  virtual io::Task<void> settle(TimePoint deadline) = 0;
};

}  // namespace pi_mcp::catalog
