#include "io/process/environment.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "io/net/name_services.h"

namespace pi_mcp::io {
namespace {

std::string variable(const char* name) {
  // Nobody changes the environment while we run.
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): see above
  return value == nullptr ? "" : value;
}

bool same_folder(const char* one, const char* other) {
  struct stat a{};
  struct stat b{};
  return ::stat(one, &a) == 0 && ::stat(other, &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

}  // namespace

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

std::string working_directory() {
  std::string logical = variable("PWD");
  if (logical.starts_with('/') && same_folder(logical.c_str(), ".")) {
    return logical;
  }
  std::array<char, PATH_MAX> path{};
  return ::getcwd(path.data(), path.size()) == nullptr ? "/" : path.data();
}

std::string home_directory() {
  std::string home = variable("HOME");
  if (home.starts_with('/')) {
    return home;
  }
  use_files_and_dns();
  struct passwd entry{};
  struct passwd* found = nullptr;
  std::array<char, 16384> space{};
  if (::getpwuid_r(::getuid(), &entry, space.data(), space.size(), &found) == 0 &&
      found != nullptr && found->pw_dir != nullptr) {
    return found->pw_dir;
  }
  return "/";
}

}  // namespace pi_mcp::io
