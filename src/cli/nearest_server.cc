#include "cli/nearest_server.h"

#include <algorithm>

#include "base/text.h"
#include "cli/show/style.h"

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

Error unknown_server(const config::Settings& settings,
                     std::string_view wrong,
                     std::string_view otherwise) {
  const std::string nearest = nearest_server(settings, wrong);
  return {
      ErrorCode::not_found,
      "there is no server " + quoted(wrong) +
          (nearest.empty() ? std::string(otherwise) : "; did you mean " + quoted(nearest) + "?")};
}

}  // namespace pi_mcp::cli
