#include "http/date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <vector>

#include "base/text.h"

namespace pi_mcp::http {
namespace {

constexpr std::array<std::string_view, 12> months = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// Digits alone; nullopt when there is anything else.
std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return whole && text.front() != '-' ? std::optional(value) : std::nullopt;
}

std::optional<std::chrono::seconds> time_of_day(std::string_view text) {
  const std::vector<std::string_view> parts = text::split(text, ':');
  if (parts.size() != 3) {
    return std::nullopt;
  }
  const std::optional<int> hour = number(parts[0]);
  const std::optional<int> minute = number(parts[1]);
  const std::optional<int> second = number(parts[2]);
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

int year_of(EpochMs time) {
  const std::chrono::sys_time<Milliseconds> point{Milliseconds(time.value)};
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(point)};
  return static_cast<int>(date.year());
}

// RFC 9110, 5.6.7: what looks more than 50 years away is in the past.
int full_year(int year, std::size_t digits, EpochMs now) {
  constexpr int century = 100;
  constexpr int ahead_max = 50;
  if (digits != 2) {
    return year;
  }
  const int this_year = year_of(now);
  const int near = this_year - this_year % century + year;
  return near > this_year + ahead_max ? near - century : near;
}

struct Words {
  std::string_view day;
  std::string_view month;
  std::string_view year;
  std::string_view time;
};

}  // namespace

std::optional<EpochMs> parse_http_date(std::string_view text, EpochMs now) {
  std::string plain(text);
  std::ranges::replace_if(plain, [](char c) { return c == ',' || c == '-'; }, ' ');
  const std::vector<std::string_view> words = text::words(plain);
  Words found;
  if (words.size() == 6 && words[5] == "GMT") {
    found = {.day = words[1], .month = words[2], .year = words[3], .time = words[4]};
  } else if (words.size() == 5) {
    found = {.day = words[2], .month = words[1], .year = words[4], .time = words[3]};
  } else {
    return std::nullopt;
  }
  const auto month = std::ranges::find(months, found.month);
  const std::optional<int> day = number(found.day);
  const std::optional<int> year = number(found.year);
  const std::optional<std::chrono::seconds> time = time_of_day(found.time);
  constexpr int day_max = 31;  // std::chrono::day takes 257 for 1
  constexpr int year_max = 9999;
  if (month == months.end() || !day || *day > day_max || !year || *year > year_max || !time) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{
      std::chrono::year(full_year(*year, found.year.size(), now)),
      std::chrono::month(static_cast<unsigned>(month - months.begin()) + 1),
      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) {
    return std::nullopt;
  }
  const auto point = std::chrono::sys_days(date) + *time;
  return EpochMs{Milliseconds(point.time_since_epoch()).count()};
}

}  // namespace pi_mcp::http
