#include "io/process/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <charconv>
#include <utility>

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

HiddenInput::HiddenInput(int terminal) : terminal_(terminal) {
  auto before = std::make_unique<termios>();
  if (::tcgetattr(terminal, before.get()) != 0) {
    return;
  }
  termios hidden = *before;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  hidden.c_lflag |= ECHONL;
  hidden.c_cc[VSUSP] = _POSIX_VDISABLE;
  hidden.c_cc[VQUIT] = _POSIX_VDISABLE;
  if (::tcsetattr(terminal, TCSAFLUSH, &hidden) == 0) {
    before_ = std::move(before);
  }
}

HiddenInput::~HiddenInput() {
  if (before_ != nullptr) {
    (void)::tcsetattr(terminal_, TCSAFLUSH, before_.get());  // nothing more can be done
  }
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

bool is_capable_terminal(int file, const EnvironmentMap& environment) {
  const std::string kind = variable(environment, "TERM");
  return is_terminal(file) && !kind.empty() && kind != "dumb";
}

bool colour_wanted(int file, const EnvironmentMap& environment) {
  if (!variable(environment, "NO_COLOR").empty()) {
    return false;
  }
  const std::string force = variable(environment, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") {
    return true;
  }
  return is_capable_terminal(file, environment);
}

}  // namespace pi_mcp::io
