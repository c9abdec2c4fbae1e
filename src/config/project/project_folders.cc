#include "config/project/project_folders.h"

#include <string_view>

#include "config/check.h"
#include "config/paths.h"
#include "config/project/project_files.h"
#include "json/writer.h"

namespace pi_mcp::config {

std::vector<std::string> folders_above(const Environment& environment, const FileSource& files) {
  const std::string inner = files.canonical(environment.cwd);
  const std::string home = files.canonical(environment.home);
  std::vector<std::string> above;
  for (const std::string& folder : with_parents(environment, inner)) {
    if (folder != inner) {
      if (above.size() == project_folders_max || is_inside(environment, home, folder) ||
          !files.is_on_same_device(inner, folder)) {
        return {};
      }
      above.push_back(folder);
    }
    const std::string git = join_path(environment, folder, ".git");
    if (files.is_directory(git) || files.is_file(git)) {
      return above;
    }
  }
  return {};
}

std::vector<std::string> folder_and_root(const std::string& folder,
                                         const std::vector<std::string>& folders_above) {
  return {folder, folders_above.empty() ? folder : folders_above.back()};
}

bool counts_above(const FileSource& files,
                  const std::string& folder,
                  const std::string& path,
                  std::vector<Warning>& warnings) {
  if (!files.is_file(path)) {
    return true;  // nothing to read, but to watch
  }
  if (files.is_own(folder) && files.is_own(path)) {
    return true;
  }
  warn(warnings,
       path,
       "it or its folder belongs to another user, so it does not count in folders below it");
  return false;
}

void anchor_paths(RawObject& fields, const Environment& environment, const std::string& folder) {
  constexpr std::string_view known_starts = "~$!{";  // home, variables, the output of a command
  for (const std::string_view key : {"command", "cwd", "socket", "caFile"}) {
    const std::string path = fields.find(key).string_or("");
    const bool is_name = key == "command" && path.find('/') == std::string::npos;
    if (!path.empty() && !is_name && known_starts.find(path.front()) == std::string_view::npos) {
      fields.set(key, json::quoted(absolute_path(environment, folder, path)));
    }
  }
}

}  // namespace pi_mcp::config
