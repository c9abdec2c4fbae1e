#include "config/trust/trust_folder.h"

#include <optional>
#include <string_view>

#include "base/text.h"
#include "config/paths.h"

namespace pi_mcp::config {
namespace {

// The one line of a small file of git's, without `prefix`; empty when it is not there.
std::string git_line(const FileSource& files, const std::string& path, std::string_view prefix) {
  const std::optional<std::string> text = files.read_regular(path).value_or(std::nullopt);
  if (!text || !text->starts_with(prefix)) {
    return {};
  }
  return std::string(text::trim(std::string_view(*text).substr(prefix.size())));
}

// The main working tree of the repository that has `top` as a linked worktree; empty when none has.
std::string main_tree(const Environment& environment,
                      const FileSource& files,
                      const std::string& top) {
  const std::string link = join_path(environment, top, ".git");
  // Looked at before it is read: what is read is watched, and the folders above a session may be as
  // large as /tmp. A link leads to the file of another worktree.
  if (!files.is_file(link) || files.canonical(link) != link) {
    return {};
  }
  const std::string written = git_line(files, link, "gitdir:");
  if (written.empty()) {
    return {};
  }
  const std::string admin = files.canonical(absolute_path(environment, top, written));
  const std::string_view worktrees = parent_path(environment, admin);
  const std::string_view git = parent_path(environment, worktrees);
  if (base_name(worktrees) != "worktrees" || base_name(git) != ".git") {
    return {};
  }
  const std::string named = git_line(files, join_path(environment, admin, "gitdir"), "");
  const bool registered =
      files.canonical(absolute_path(environment, admin, named)) == files.canonical(link);
  return registered ? std::string(parent_path(environment, git)) : std::string();
}

}  // namespace

std::string trust_folder(const Environment& environment,
                         const FileSource& files,
                         const std::string& folder) {
  std::string real = files.canonical(folder);
  for (const std::string& top : with_parents(environment, real)) {
    const std::string git = join_path(environment, top, ".git");
    if (files.is_directory(git)) {
      break;
    }
    const std::string main = main_tree(environment, files, top);
    if (!main.empty()) {
      return main + real.substr(top.size());
    }
  }
  return real;
}

}  // namespace pi_mcp::config
