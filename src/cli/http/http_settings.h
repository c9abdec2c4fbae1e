// What the configuration says of those who come over HTTP: `settings.http`.
#pragma once

#include <chrono>
#include <optional>

#include "access/oauth_rules.h"
#include "access/rate.h"
#include "base/result.h"
#include "config/settings.h"

namespace pi_mcp::cli {

struct HttpSettings {
  std::optional<access::OAuthRules> oauth;  // nullopt: tokens of the token file alone
  access::Rate rate;                        // of everybody
  std::chrono::days absence_max{0};         // of those who come by an authorization server
};

// invalid_argument names the key: what it was to restrict is unknown, so nothing of it counts.
Result<HttpSettings> read_http_settings(const config::Settings& settings);

}  // namespace pi_mcp::cli
