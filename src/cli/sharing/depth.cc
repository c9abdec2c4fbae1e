#include "cli/sharing/depth.h"

#include <algorithm>

#include "base/ascii.h"

namespace pi_mcp::cli {
namespace {

constexpr const char* variable = "PI_MCP_DEPTH";

}  // namespace

int depth_of(const std::map<std::string, std::string>& variables) {
  const auto above = variables.find(variable);
  const bool is_depth = above != variables.end() && above->second.size() == 1 &&
                        ascii::is_digit(above->second.front());
  return is_depth ? above->second.front() - '0' : 0;
}

void go_deeper(std::map<std::string, std::string>& variables) {
  variables[variable] = std::to_string(std::min(depth_of(variables) + 1, depth_max));
}

}  // namespace pi_mcp::cli
