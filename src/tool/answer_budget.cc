#include "tool/answer_budget.h"

#include <limits>
#include <optional>
#include <string>

namespace pi_mcp::tool {

bool is_guarded(const config::Settings& settings, const config::Environment& environment) {
  const std::optional<std::string> forced = environment.variable("MCP_OUTPUT_GUARD");
  if (forced == "0" || forced == "1") {
    return forced == "1";
  }
  return settings.output_guard.enabled;
}

std::size_t answer_tokens_max(const registry::ServerRegistry& registry) {
  if (!is_guarded(registry.settings(), registry.environment())) {
    return std::numeric_limits<std::size_t>::max();
  }
  return registry.settings().output_guard.search_tokens_max;
}

}  // namespace pi_mcp::tool
