// One bucket of the store for each who has a limit, of which all replicas draw
// (docs/decisions/0083-rates.md). Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "access/rate.h"

namespace pi_mcp::replicas {

// The command that takes `settle` out of the bucket of this rate and principal (negative: puts it
// back), whatever is in it, and then up to `want`, as far as it has them. Its reply is a number: so
// many are given; 0: none was wanted; negative: there is none before so many milliseconds from now.
std::string draw_command(std::string_view principal,
                         const access::Rate& rate,
                         std::int64_t settle,
                         std::int64_t want);

}  // namespace pi_mcp::replicas
