#include "io/process/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>

namespace pi_mcp::io {
namespace {

std::string variable(const EnvironmentMap& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

}  // namespace

bool is_terminal(int file) {
  return ::isatty(file) == 1;
}

Fd open_terminal() {
  return Fd(::open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
}

std::size_t terminal_columns(int file, const EnvironmentMap& environment) {
  struct winsize size{};
  if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const std::string columns = variable(environment, "COLUMNS");
  std::size_t number = 0;
  const auto [end, error] =
      std::from_chars(columns.data(), columns.data() + columns.size(), number);
  constexpr std::size_t usual = 80;
  return error == std::errc() && number > 0 ? number : usual;
}

bool colour_wanted(int file, const EnvironmentMap& environment) {
  if (!variable(environment, "NO_COLOR").empty()) {
    return false;
  }
  const std::string force = variable(environment, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") {
    return true;
  }
  return is_terminal(file) && variable(environment, "TERM") != "dumb";
}

}  // namespace pi_mcp::io
