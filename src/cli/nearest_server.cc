#include "cli/nearest_server.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::cli {

std::string nearest_server(const config::Settings& settings, std::string_view wrong) {
  std::string nearest;
  std::size_t distance_max = std::max<std::size_t>(2, wrong.size() / 3);
  for (const config::Server& server : settings.servers) {
    const std::size_t distance = text::edit_distance(text::lower(server.name), text::lower(wrong));
    if (distance <= distance_max) {
      distance_max = distance;
      nearest = server.name;
    }
  }
  return nearest;
}

}  // namespace pi_mcp::cli
