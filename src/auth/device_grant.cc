#include "auth/device_grant.h"

#include <algorithm>
#include <utility>

#include "auth/metadata.h"
#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

constexpr std::int64_t ms_per_s = 1000;

Milliseconds seconds_in(json::Value value, std::int64_t otherwise, std::int64_t max) {
  const std::int64_t seconds = value.as_int().value_or(otherwise);
  return Milliseconds(std::clamp<std::int64_t>(seconds, 1, max) * ms_per_s);
}

bool is_readable(std::string_view code) {
  constexpr std::size_t bytes_max = 64;
  return !code.empty() && code.size() <= bytes_max &&
         std::ranges::all_of(code, [](char c) { return c >= ' ' && c < '\x7F'; });
}

}  // namespace

Result<DeviceGrant> DeviceGrant::parse(const http::Answer& answer,
                                       const http::AddressRule& addresses,
                                       EpochMs now) {
  // Nobody waits longer for a person, whatever the server allows.
  constexpr std::int64_t lifetime_s_max = 1800;
  constexpr std::int64_t interval_s_default = 5;  // RFC 8628 section 3.2
  const Result<json::Document> document = json::Document::parse(answer.body);
  const json::Value root = document ? document->root() : json::Value();
  DeviceGrant grant;
  grant.device_code_ = root.find("device_code").string_or("");
  DevicePrompt& prompt = grant.prompt_;
  prompt.code = root.find("user_code").string_or("");
  prompt.page = root.find("verification_uri").string_or("");
  prompt.page_with_code = root.find("verification_uri_complete").string_or("");
  if (grant.device_code_.empty() || !is_readable(prompt.code) || prompt.page.empty()) {
    return fail(ErrorCode::protocol, "the authorization server gave no code that can be entered");
  }
  if (Result<void> checked = http::check_named_url(prompt.page, addresses); !checked) {
    return fail(std::move(checked).error().while_doing("the page for the code"));
  }
  if (!prompt.page_with_code.empty() && !http::check_named_url(prompt.page_with_code, addresses)) {
    prompt.page_with_code.clear();
  }
  prompt.good_for = seconds_in(root.find("expires_in"), lifetime_s_max, lifetime_s_max);
  grant.interval_ = seconds_in(root.find("interval"), interval_s_default, lifetime_s_max);
  grant.ends_at_ = {now.value + prompt.good_for.count()};
  return grant;
}

http::Form DeviceGrant::form() const {
  http::Form form;
  form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
      .add("device_code", device_code_);
  return form;
}

Result<Milliseconds> DeviceGrant::pause(EpochMs now) const {
  if (now.value >= ends_at_.value) {
    return fail(ErrorCode::timed_out, "the code was not entered in time; start the login again");
  }
  return interval_;
}

// RFC 8628 section 3.5.
bool DeviceGrant::goes_on_after(TokenFailure::Kind kind) {
  using Kind = TokenFailure::Kind;
  constexpr Milliseconds slower{5000};
  constexpr Milliseconds backoff_max{60'000};
  if (kind == Kind::slow_down) {
    interval_ += slower;
  } else if (kind == Kind::temporary) {
    interval_ = std::max(interval_, std::min(interval_ * 2, backoff_max));
  }
  return kind == Kind::pending || kind == Kind::slow_down || kind == Kind::temporary;
}

}  // namespace pi_mcp::auth
