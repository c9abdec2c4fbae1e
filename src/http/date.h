// Dates of HTTP headers (RFC 9110, 5.6.7). Pure.
#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"

namespace pi_mcp::http {

// "Sun, 06 Nov 1994 08:49:37 GMT" and the two older forms, "Sunday, 06-Nov-94 08:49:37 GMT" and
// "Sun Nov  6 08:49:37 1994"; nullopt for anything else. Two digits of a year are the nearest year
// that is at most 50 years after `now`.
std::optional<EpochMs> parse_http_date(std::string_view text, EpochMs now);

}  // namespace pi_mcp::http
