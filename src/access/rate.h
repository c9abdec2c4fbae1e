// How many requests somebody may make over HTTP. Pure.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::access {

struct Rate {
  std::uint32_t count = 0;  // in each period; 0: there is no limit
  Milliseconds period{1'000};
  std::uint32_t burst = 0;  // at once
  auto operator<=>(const Rate&) const = default;

  [[nodiscard]] bool is_limit() const { return count > 0; }
  // Between two requests of a limit, in the long run.
  [[nodiscard]] std::chrono::nanoseconds gap() const {
    return std::chrono::nanoseconds(period) / count;
  }
  [[nodiscard]] bool gives_more_than(const Rate& other) const;
};

// {"perSecond": 20, "burst": 40}, {"perMinute": 600} or "none". Without a burst it is as many as
// the period has. invalid_argument names the key: it may have been meant to be a lower one.
Result<Rate> read_rate(json::Value value, std::string_view key);
// What the merged settings, JSON, say of everybody: `settings.http.rate`. No limit where they say
// nothing. invalid_argument.
Result<Rate> rate_setting(std::string_view settings_json);
// "20" and "20/s", "600/m", with the burst "20,40", or "none". invalid_argument says so.
Result<Rate> parse_rate(std::string_view text);

// "20 a second", "600 a minute and 40 at once", "no limit".
std::string rate_text(const Rate& rate);
// As read_rate() takes it.
void write_rate(json::Writer& out, const Rate& rate);

}  // namespace pi_mcp::access
