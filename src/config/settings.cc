#include "config/settings.h"

#include <algorithm>

namespace pi_mcp::config {

const Server* Settings::find(std::string_view name) const {
  const auto found = std::find_if(
      servers.begin(), servers.end(), [name](const Server& server) { return server.name == name; });
  return found == servers.end() ? nullptr : &*found;
}

}  // namespace pi_mcp::config
