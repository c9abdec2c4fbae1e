#include "cli/unknown_server.h"

#include <vector>

#include "base/text.h"
#include "cli/show/style.h"
#include "tool/failures.h"

namespace pi_mcp::cli {

Error unknown_server(const config::Settings& settings,
                     std::string_view wrong,
                     std::string_view otherwise) {
  const std::string nearest = tool::nearest_server(settings, wrong);
  return {
      ErrorCode::not_found,
      "there is no server " + quoted(wrong) +
          (nearest.empty() ? std::string(otherwise) : "; did you mean " + quoted(nearest) + "?")};
}

std::string configured_text(const config::Settings& settings) {
  std::vector<std::string> names;
  names.reserve(settings.servers.size());
  for (const config::Server& server : settings.servers) {
    names.push_back(server.name);
  }
  return names.empty() ? "none is configured" : "configured are " + text::join(names, ", ");
}

}  // namespace pi_mcp::cli
