#include "access/rate.h"

#include <charconv>
#include <optional>

#include "access/strict.h"
#include "base/text.h"

namespace pi_mcp::access {
namespace {

constexpr Milliseconds second{1'000};
constexpr Milliseconds minute{60'000};
// Above them a limit would protect nothing, and the store could not count it.
constexpr std::int64_t per_second_max = 10'000;
constexpr std::int64_t burst_max = 100'000;
constexpr std::string_view none = "none";

std::int64_t count_max(Milliseconds period) {
  return per_second_max * (period / second);
}

// nullopt: out of bounds.
std::optional<Rate> make_rate(std::int64_t count, Milliseconds period, std::int64_t burst) {
  if (count < 1 || count > count_max(period) || burst < 1 || burst > burst_max) {
    return std::nullopt;
  }
  return Rate{.count = static_cast<std::uint32_t>(count),
              .period = period,
              .burst = static_cast<std::uint32_t>(burst)};
}

std::int64_t burst_of(std::int64_t count) {
  return std::min(count, burst_max);
}

// 0: it is no number of at least 1.
std::int64_t number_of(std::string_view digits) {
  std::int64_t number = 0;
  const char* const begin = digits.data();
  const char* const end = begin + digits.size();
  const auto [read, error] = std::from_chars(begin, end, number);
  return error == std::errc() && read == end ? number : 0;
}

}  // namespace

bool Rate::gives_more_than(const Rate& other) const {
  if (!is_limit() || !other.is_limit()) {
    return !is_limit() && other.is_limit();
  }
  return gap() != other.gap() ? gap() < other.gap() : burst > other.burst;
}

Result<Rate> read_rate(json::Value value, std::string_view key) {
  if (value.equals(none)) {
    return Rate();
  }
  if (Result<void> known = check_members(value, key, {"perSecond", "perMinute", "burst"}); !known) {
    return fail(std::move(known).error());
  }
  const json::Value by_second = value.find("perSecond");
  const json::Value by_minute = value.find("perMinute");
  if (by_second.exists() == by_minute.exists()) {
    return wrong_setting(
        key, R"(wants perSecond or perMinute, one of them: {"perSecond": 20, "burst": 40})");
  }
  const std::int64_t count = (by_second ? by_second : by_minute).as_int().value_or(0);
  const json::Value burst = value.find("burst");
  const std::optional<Rate> rate = make_rate(
      count, by_second ? second : minute, burst ? burst.as_int().value_or(0) : burst_of(count));
  if (!rate) {
    return wrong_setting(key,
                         "has whole numbers: 1 to 10000 as perSecond, 1 to 600000 as perMinute, 1 "
                         "to 100000 as burst");
  }
  return *rate;
}

Result<Rate> rate_setting(std::string_view settings_json) {
  const Result<json::Document> document = json::Document::parse_view(settings_json);
  const json::Value value = document ? document->root().at({"http", "rate"}) : json::Value();
  return value ? read_rate(value, "http.rate") : Rate();
}

Result<Rate> parse_rate(std::string_view text) {
  if (text == none) {
    return Rate();
  }
  const std::size_t comma = text.find(',');
  std::string_view digits = text.substr(0, comma);
  const Milliseconds period = digits.ends_with("/m") ? minute : second;
  if (digits.ends_with("/m") || digits.ends_with("/s")) {
    digits.remove_suffix(2);
  }
  const std::int64_t count = number_of(digits);
  const std::int64_t burst =
      comma == std::string_view::npos ? burst_of(count) : number_of(text.substr(comma + 1));
  const std::optional<Rate> rate = make_rate(count, period, burst);
  if (!rate) {
    return fail(ErrorCode::invalid_argument,
                "\"" + text::printable_line(text) +
                    "\" is no rate: 20 (a second, up to 10000), 600/m (a minute), with how many at "
                    "once behind a comma (20,40), or none");
  }
  return *rate;
}

std::string rate_text(const Rate& rate) {
  if (!rate.is_limit()) {
    return "no limit";
  }
  std::string text =
      std::to_string(rate.count) + (rate.period == minute ? " a minute" : " a second");
  if (rate.burst != rate.count) {
    text += " and " + std::to_string(rate.burst) + " at once";
  }
  return text;
}

void write_rate(json::Writer& out, const Rate& rate) {
  if (!rate.is_limit()) {
    out.string(none);
    return;
  }
  out.begin_object()
      .member(rate.period == minute ? "perMinute" : "perSecond", rate.count)
      .member("burst", rate.burst)
      .end_object();
}

}  // namespace pi_mcp::access
