#include "access/expiry.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/text.h"

namespace pi_mcp::access {
namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t hour_ms = 3'600 * second_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;
constexpr std::int64_t expiry_days_max = 36'525;

struct Unit {
  char letter;
  std::int64_t ms;
};
constexpr std::array units = {Unit{.letter = 'h', .ms = hour_ms},
                              Unit{.letter = 'd', .ms = day_ms},
                              Unit{.letter = 'w', .ms = 7 * day_ms},
                              Unit{.letter = 'y', .ms = 365 * day_ms}};

std::optional<std::int64_t> number_of(std::string_view digits) {
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  // from_chars takes a sign.
  const bool is_number = !digits.empty() && digits.front() != '-' && read.ec == std::errc() &&
                         read.ptr == digits.data() + digits.size();
  return is_number ? std::optional(value) : std::nullopt;
}

// From now on; nullopt: the text is no duration, or one too long to be counted.
std::optional<std::int64_t> duration_of(std::string_view text) {
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.letter)) {
      continue;
    }
    const std::optional<std::int64_t> count = number_of(text.substr(0, text.size() - 1));
    if (count && *count <= std::numeric_limits<std::int64_t>::max() / 2 / unit.ms) {
      return *count * unit.ms;
    }
  }
  return std::nullopt;
}

// The end of the day; nullopt: the text is no date.
std::optional<EpochMs> date_of(std::string_view text) {
  constexpr std::size_t date_bytes = 10;
  if (text.size() != date_bytes || text[4] != '-' || text[7] != '-') {
    return std::nullopt;
  }
  const auto year = number_of(text.substr(0, 4));
  const auto month = number_of(text.substr(5, 2));
  const auto day = number_of(text.substr(8, 2));
  if (!year || !month || !day) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return EpochMs{(days + 1) * day_ms - 1};
}

std::string two_digits(std::int64_t value) {
  constexpr std::int64_t ten = 10;
  return (value < ten ? "0" : "") + std::to_string(value);
}

}  // namespace

Result<std::optional<EpochMs>> parse_expiry(std::string_view text, EpochMs now) {
  text = text::trim(text);
  if (text == "never") {
    return std::optional<EpochMs>();
  }
  std::optional<EpochMs> end = date_of(text);
  if (!end) {
    const std::optional<std::int64_t> duration = duration_of(text);
    end = duration ? std::optional(EpochMs{now.value + *duration}) : std::nullopt;
  }
  const std::string shown = "\"" + std::string(text) + "\"";
  if (!end) {
    return fail(ErrorCode::invalid_argument,
                shown +
                    " is no time to expire: write 12h, 30d, 8w or 1y, a day such as "
                    "2027-01-31, or never");
  }
  if (*end <= now) {
    return fail(ErrorCode::invalid_argument,
                shown + " is over already; the token would be good for nothing");
  }
  if (end->value - now.value > expiry_days_max * day_ms) {
    return fail(ErrorCode::invalid_argument,
                shown + " is more than a hundred years away; write never if that is meant");
  }
  return end;
}

std::string time_text(EpochMs time) {
  const std::chrono::sys_time<Milliseconds> point{Milliseconds(time.value)};
  const auto day = std::chrono::floor<std::chrono::days>(point);
  const std::chrono::year_month_day date{day};
  const std::int64_t minutes =
      std::chrono::duration_cast<std::chrono::minutes>(point - day).count();
  constexpr std::int64_t hour_minutes = 60;
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day())) + " " + two_digits(minutes / hour_minutes) +
         ":" + two_digits(minutes % hour_minutes) + " UTC";
}

}  // namespace pi_mcp::access
