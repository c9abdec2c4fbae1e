#include "io/process/browser.h"

#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/process/executable.h"
#include "io/process/orphans.h"

namespace pi_mcp::io {
namespace {

std::string variable(const std::map<std::string, std::string>& environment,
                     const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// The program and its first arguments; empty: none.
std::vector<std::string> browser_command(const std::map<std::string, std::string>& environment) {
  // Several, separated by colons, are alternatives; a person's first choice is enough.
  const std::string configured = variable(environment, "BROWSER");
  const auto words = text::words(std::string_view(configured).substr(0, configured.find(':')));
  if (!words.empty()) {
    return {words.begin(), words.end()};
  }
  const bool remote = !variable(environment, "SSH_CONNECTION").empty();
  const bool desktop = !variable(environment, "DISPLAY").empty() ||
                       !variable(environment, "WAYLAND_DISPLAY").empty();
#ifdef __APPLE__
  return remote ? std::vector<std::string>() : std::vector<std::string>{"open"};
#else
  return remote || !desktop ? std::vector<std::string>() : std::vector<std::string>{"xdg-open"};
#endif
}

}  // namespace

bool has_browser(const std::map<std::string, std::string>& environment) {
  return !browser_command(environment).empty();
}

bool open_browser(const std::string& url, const std::map<std::string, std::string>& environment) {
  const std::vector<std::string> command = browser_command(environment);
  if (command.empty()) {
    return false;
  }
  // The shell leaves the browser behind in the background, with nothing of our streams, and ends at
  // once: nothing is left for us to wait for. The address is an argument, never shell text.
  std::vector<std::string> arguments = {
      "sh",
      "-c",
      R"(command -v "$1" >/dev/null || exit 1; "$@" </dev/null >/dev/null 2>&1 &)",
      "sh"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  arguments.push_back(url);
  std::vector<std::string> variables = exec_variables(environment);
  const NoAdoption browser_is_not_ours;
  posix_spawnattr_t attributes{};
  (void)::posix_spawnattr_init(&attributes);
  (void)::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t shell = 0;
  const int failed = ::posix_spawn(&shell,
                                   "/bin/sh",
                                   nullptr,
                                   &attributes,
                                   exec_pointers(arguments).data(),
                                   exec_pointers(variables).data());
  (void)::posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return false;
  }
  int status = 0;
  while (::waitpid(shell, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace pi_mcp::io
