// Until when a token is good, as people write and read it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::access {

constexpr std::string_view expiry_default = "90d";

// "12h", "30d", "8w", "1y" from now; "2027-01-31" to the end of that day, UTC; "never" is nullopt.
// invalid_argument: nothing of these, in the past, or more than a hundred years away.
Result<std::optional<EpochMs>> parse_expiry(std::string_view text, EpochMs now);

// "2027-01-31 23:59 UTC".
std::string time_text(EpochMs time);

}  // namespace pi_mcp::access
