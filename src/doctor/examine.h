// Judges facts: what is wrong, in the order in which it should be mended. Pure.
#pragma once

#include <vector>

#include "doctor/facts.h"
#include "doctor/finding.h"

namespace pi_mcp::doctor {

std::vector<Finding> examine(const Facts& facts);

// Whether it is worth starting: it is used, trusted and logged in, and nothing is known that would
// prevent it.
[[nodiscard]] bool can_start(const ServerFacts& server);

// Whether there is something to mend: notes do not count.
[[nodiscard]] bool is_clean(const std::vector<Finding>& findings);

}  // namespace pi_mcp::doctor
