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
  const std::string left_out = left_out_text(settings);
  std::string message = "there is no server " + quoted(wrong);
  if (!nearest.empty()) {
    message += "; did you mean " + quoted(nearest) + "?";
    message += left_out.empty() ? "" : " Otherwise, " + left_out;
  } else {
    message += left_out.empty() ? std::string(otherwise) : "; " + left_out;
  }
  return {ErrorCode::not_found, message};
}

std::string left_out_text(const config::Settings& settings) {
  std::vector<std::string> files;
  for (const config::Warning& warning : settings.warnings) {
    if (warning.unreadable) {
      files.push_back(warning.message);
    }
  }
  return files.empty() ? "" : "it may stand in what cannot be read: " + text::join(files, "; ");
}

ExitStatus status_of_lookup(const Setup& setup, ExitStatus status) {
  return status == ExitStatus::not_found && is_unreadable(load_settings(setup))
             ? ExitStatus::configuration
             : status;
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
