// Dates of HTTP headers: what is read is a moment of the years 0 to 9999, and that moment, written
// in each of the three forms, is read the same.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <string_view>

#include "http/date.h"

namespace {

using pi_mcp::EpochMs;

constexpr EpochMs now{1'800'000'000'000};
constexpr std::int64_t second_ms = 1000;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string written(const char* form, const std::tm& time) {
  std::array<char, 100> text{};
  return {text.data(), std::strftime(text.data(), text.size(), form, &time)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto date = pi_mcp::http::parse_http_date(text, now);
  if (!date) {
    return 0;
  }
  require(date->value % second_ms == 0);
  const std::time_t seconds = date->value / second_ms;
  std::tm time{};
  require(gmtime_r(&seconds, &time) != nullptr);
  constexpr int years_before_tm = 1900;
  const int year = time.tm_year + years_before_tm;
  require(year >= 0 && year <= 10'000);  // the last second of a leap minute belongs to the next one
  for (const char* form : {"%a, %d %b %Y %T GMT", "%A, %d-%b-%Y %T GMT", "%a %b %e %T %Y"}) {
    const auto again = pi_mcp::http::parse_http_date(written(form, time), now);
    require(year < 1000 || year > 9999 || (again && again->value == date->value));
  }
  return 0;
}
