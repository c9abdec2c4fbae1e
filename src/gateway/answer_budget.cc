#include "gateway/answer_budget.h"

#include <limits>
#include <optional>
#include <string>

namespace pi_mcp::gateway {

bool is_guarded(const config::Settings& settings, const config::Environment& environment) {
  const std::optional<std::string> forced = environment.variable("MCP_OUTPUT_GUARD");
  if (forced == "0" || forced == "1") {
    return forced == "1";
  }
  return settings.output_guard.enabled;
}

std::size_t answer_tokens_max(const Roster& roster) {
  if (!is_guarded(roster.settings(), roster.environment())) {
    return std::numeric_limits<std::size_t>::max();
  }
  return roster.settings().output_guard.search_tokens_max;
}

}  // namespace pi_mcp::gateway
