#include "gateway/answer_budget.h"

#include <limits>
#include <optional>
#include <string>

#include "json/document.h"

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
  const Result<json::Document> settings =
      json::Document::parse_view(roster.settings().settings_json);
  const std::int64_t tokens =
      settings ? settings->root().at({"outputGuard", "searchMaxTokens"}).as_int().value_or(0) : 0;
  return tokens > 0 ? static_cast<std::size_t>(tokens) : answer_tokens_default;
}

}  // namespace pi_mcp::gateway
