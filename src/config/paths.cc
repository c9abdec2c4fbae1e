#include "config/paths.h"

#include <algorithm>

#include "base/ascii.h"
#include "config/interpolate.h"

namespace pi_mcp::config {
namespace {

bool is_windows(const Environment& environment) {
  return environment.platform == Platform::windows;
}

std::string_view separators(const Environment& environment) {
  return is_windows(environment) ? "\\/" : "/";
}

}  // namespace

std::string join_path(const Environment& environment,
                      std::string_view base,
                      std::string_view relative) {
  const char separator = is_windows(environment) ? '\\' : '/';
  std::string path(base);
  if (path.empty() || separators(environment).find(path.back()) == std::string_view::npos) {
    path += separator;
  }
  const auto begin = static_cast<std::ptrdiff_t>(path.size());
  path += relative;
  std::replace(path.begin() + begin, path.end(), '/', separator);
  return path;
}

bool is_absolute(const Environment& environment, std::string_view path) {
  if (!is_windows(environment)) {
    return path.starts_with('/');
  }
  const bool drive = path.size() >= 3 && ascii::is_letter(path[0]) && path[1] == ':' &&
                     (path[2] == '\\' || path[2] == '/');
  return drive || path.starts_with("\\\\");
}

std::string absolute_path(const Environment& environment,
                          std::string_view base,
                          std::string_view path) {
  std::string expanded = expand_home(path, environment);
  if (is_absolute(environment, expanded)) {
    return expanded;
  }
  std::string_view relative = expanded;
  while (relative.starts_with("./")) {
    relative.remove_prefix(2);
  }
  return join_path(environment, base, relative);
}

std::string_view parent_path(const Environment& environment, std::string_view path) {
  const std::size_t last = path.find_last_of(separators(environment));
  if (last == std::string_view::npos || last + 1 == path.size()) {
    return {};
  }
  const bool is_root = last == 0 || (is_windows(environment) && last == 2);
  return path.substr(0, is_root ? last + 1 : last);
}

std::string_view base_name(std::string_view path) {
  const std::size_t last = path.find_last_of("/\\");
  return last == std::string_view::npos ? path : path.substr(last + 1);
}

std::vector<std::string> with_parents(const Environment& environment, std::string_view path) {
  std::vector<std::string> paths;
  for (; !path.empty(); path = parent_path(environment, path)) {
    paths.emplace_back(path);
  }
  return paths;
}

bool is_inside(const Environment& environment, std::string_view path, std::string_view directory) {
  while (!path.empty() && path != directory) {
    path = parent_path(environment, path);
  }
  return !path.empty();
}

std::string chosen_folder(const Environment& environment,
                          std::string_view variable,
                          std::string_view otherwise) {
  const std::string set = environment.variable(variable).value_or("");
  return set.empty() ? absolute_path(environment, environment.home, otherwise)
                     : absolute_path(environment, environment.cwd, set);
}

std::string user_config(const Environment& environment) {
  const std::string set = environment.variable("XDG_CONFIG_HOME").value_or("");
  return is_absolute(environment, set) ? set : join_path(environment, environment.home, ".config");
}

std::string application_data(const Environment& environment) {
  switch (environment.platform) {
    case Platform::linux_:
      return user_config(environment);
    case Platform::macos:
      return join_path(environment, environment.home, "Library/Application Support");
    case Platform::windows: {
      const std::string set = environment.variable("APPDATA").value_or("");
      return !set.empty() ? set : join_path(environment, environment.home, "AppData/Roaming");
    }
  }
  return {};
}

}  // namespace pi_mcp::config
