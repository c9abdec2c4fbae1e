#include "config/environment.h"

namespace pi_mcp::config {

std::optional<std::string> Environment::variable(std::string_view name) const {
  const auto found = variables.find(name);
  return found == variables.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace pi_mcp::config
