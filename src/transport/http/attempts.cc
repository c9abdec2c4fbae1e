#include "transport/http/attempts.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "http/date.h"

namespace pi_mcp::transport {
namespace {

constexpr int redirects_max = 5;
constexpr int busy_max = 3;
constexpr int refusals_max = 8;  // credentials end it earlier

// Seconds or a date (RFC 9110, 10.2.3); a date that has passed is now.
std::optional<Milliseconds> retry_after(const http::Head& head, EpochMs now) {
  const std::string_view text = head.find("retry-after");
  if (const std::optional<EpochMs> date = http::parse_http_date(text, now)) {
    return Milliseconds(std::max<std::int64_t>(date->value - now.value, 0));
  }
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t seconds_max = 86'400;
  if (read.ec != std::errc() || seconds < 0 || seconds > seconds_max) {
    return std::nullopt;
  }
  return Milliseconds(std::chrono::seconds(seconds));
}

}  // namespace

Result<HttpAttempts::Next> HttpAttempts::redirect(const http::Head& head) {
  Result<http::Url> next = http::join_url(to_, head.find("location"));
  if (!next || redirects_ >= redirects_max) {
    return fail(ErrorCode::unavailable,
                first_.origin() + ": it redirects " +
                    (next ? "in a circle" : "to no address that could be followed"));
  }
  if (next->origin() != first_.origin()) {
    return fail(ErrorCode::unavailable,
                first_.origin() + ": it redirects to " + next->origin() +
                    ", which must not get its credentials; if that is right, configure the new "
                    "url");
  }
  to_ = *std::move(next);
  ++redirects_;
  return Redirect();
}

HttpAttempts::Next HttpAttempts::wait(const http::Head& head, EpochMs now) {
  const std::optional<Milliseconds> wait = retry_after(head, now);
  if (wait && *wait <= retry_after_max_ && times_busy_ < busy_max) {
    ++times_busy_;
    return *wait;
  }
  return Final();
}

Result<HttpAttempts::Next> HttpAttempts::take(const http::Head& head, EpochMs now) {
  switch (head.status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
      return redirect(head);
    default:
      break;
  }
  to_ = first_;
  redirects_ = 0;
  if (is_busy_status(head.status)) {
    return wait(head, now);
  }
  if ((head.status != 401 && head.status != 403) || refusals_ >= refusals_max) {
    return Final();
  }
  Refusal refusal{.status = head.status, .challenges = {}, .token = {}, .attempt = refusals_++};
  for (const std::string_view challenge : head.find_all("www-authenticate")) {
    refusal.challenges.emplace_back(challenge);
  }
  return refusal;
}

}  // namespace pi_mcp::transport
