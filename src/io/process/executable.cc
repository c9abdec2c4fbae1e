#include "io/process/executable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/files/fd.h"
#include "io/files/file.h"

namespace pi_mcp::io {
namespace {

// What execvp() uses without PATH.
constexpr std::string_view default_path = "/bin:/usr/bin";

// Empty when the file can be run, else what is wrong with it; `found` says whether there is a file.
std::string problem_with(const std::string& path, bool& found) {
  struct stat status{};
  found = ::stat(path.c_str(), &status) == 0;
  if (!found) {
    return "no such file";
  }
  if (S_ISDIR(status.st_mode)) {
    return "it is a folder";
  }
  if (::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) {
    return "it is not executable";
  }
  return "";
}

std::string absolute(const std::string& folder, std::string_view path) {
  if (path.starts_with('/')) {
    return std::string(path);
  }
  std::string whole = folder;
  if (!path.empty()) {
    whole.append("/").append(path);
  }
  return whole;
}

std::string first_line(const std::string& path) {
  constexpr std::size_t bytes_max = 256;
  const std::string start = read_head(path, bytes_max).value_or("");
  return start.substr(0, start.find('\n'));
}

}  // namespace

Result<std::string> find_executable(const std::string& command,
                                    const std::map<std::string, std::string>& environment,
                                    const std::string& folder) {
  if (command.empty()) {
    return fail(ErrorCode::invalid_argument, "the command is empty");
  }
  bool found = false;
  if (command.find('/') != std::string::npos) {
    std::string path = absolute(folder, command);
    const std::string problem = problem_with(path, found);
    if (problem.empty()) {
      return path;
    }
    return fail(found ? ErrorCode::invalid_argument : ErrorCode::not_found,
                "cannot run " + path + ": " + problem);
  }
  const auto variable = environment.find("PATH");
  const std::string searched(variable == environment.end() ? default_path : variable->second);
  std::string near;  // a file of that name that cannot be run
  for (const std::string_view entry : text::split(searched, ':')) {
    std::string path = absolute(absolute(folder, entry), command);
    const std::string problem = problem_with(path, found);
    if (problem.empty()) {
      return path;
    }
    if (found && near.empty()) {
      near.assign(path).append(": ").append(problem);
    }
  }
  if (!near.empty()) {
    return fail(ErrorCode::invalid_argument, "cannot run " + near);
  }
  return fail(ErrorCode::not_found,
              "command " + command + " not found in PATH: install it or give its full path");
}

std::string exec_failure(const std::string& path, int error_number) {
  const std::string start = "cannot run " + path + ": ";
  switch (error_number) {
    case ENOENT: {
      const std::string line = first_line(path);
      return start + (line.starts_with("#!")
                          ? "its interpreter " + line.substr(2) + " does not exist"
                          : "the loader or interpreter it needs does not exist");
    }
    case ENOEXEC:
      return start + "it is not a program for this machine";
    case E2BIG:
      return start + "its arguments and environment are too long for the system";
    default:
      return start + reason(error_number);
  }
}

std::vector<char*> exec_pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> exec_variables(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> variables;
  variables.reserve(environment.size());
  for (const auto& [name, value] : environment) {
    variables.emplace_back(name).append("=").append(value);
  }
  return variables;
}

}  // namespace pi_mcp::io
