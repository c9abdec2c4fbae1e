// What people are told of a server that is kept alive: that it ended and that it is back, each
// once, and less of one that ends again and again. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "registry/notice.h"

namespace pi_mcp::registry {

class LifecycleNotices {
 public:
  // After a connection that lasted this long everything is told as for the first time.
  explicit LifecycleNotices(Milliseconds stable_after) : stable_after_(stable_after) {}

  // A new connection is ready.
  std::optional<Notice> ready(std::string_view server, TimePoint now);
  // It ended by itself and is started again.
  std::optional<Notice> ended(std::string_view server, std::string_view reason, TimePoint now);

 private:
  enum class Told : std::uint8_t { nothing, end, back, repeated };

  Milliseconds stable_after_;
  std::optional<TimePoint> ready_since_;
  Told told_ = Told::nothing;
};

}  // namespace pi_mcp::registry
