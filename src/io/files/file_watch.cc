#include "io/files/file_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <deque>
#include <unordered_set>
#include <utility>

#include "base/text.h"

namespace pi_mcp::io {
namespace {

// Puts the parts of a path in front of what is still to be walked.
void prepend(std::deque<std::string>& rest, std::string_view path) {
  std::deque<std::string> parts;
  for (const std::string_view part : text::split(path, '/')) {
    if (!part.empty() && part != ".") {
      parts.emplace_back(part);
    }
  }
  rest.insert(rest.begin(), parts.begin(), parts.end());
}

std::string parent_of(const std::string& folder) {
  const std::size_t slash = folder.rfind('/');
  return slash == std::string::npos ? "" : folder.substr(0, slash);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> places_of(
    const std::string& path, std::unordered_set<std::string>& real_folders) {
  constexpr int links_max = 40;  // the kernel's own limit
  std::vector<std::pair<std::string, std::string>> places;
  std::deque<std::string> rest;
  prepend(rest, path);
  std::string folder;  // without the last slash: "" is /
  for (int links = 0; !rest.empty() && links <= links_max;) {
    const std::string name = std::move(rest.front());
    rest.pop_front();
    if (name == "..") {
      folder = parent_of(folder);
      continue;
    }
    std::string here = folder;
    here.append("/").append(name);
    if (!rest.empty() && real_folders.contains(here)) {
      folder = std::move(here);
      continue;
    }
    struct stat status{};
    const bool exists = ::lstat(here.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode) && !rest.empty()) {
      real_folders.insert(here);
      folder = std::move(here);  // its own end is told by the watch inside
      continue;
    }
    places.emplace_back(folder.empty() ? "/" : folder, name);
    if (!exists || !S_ISLNK(status.st_mode)) {
      break;
    }
    ++links;
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(here.c_str(), target.data(), target.size());
    if (length <= 0) {
      break;
    }
    folder = target[0] == '/' ? "" : folder;
    prepend(rest, {target.data(), static_cast<std::size_t>(length)});
  }
  return places;
}

}  // namespace pi_mcp::io
