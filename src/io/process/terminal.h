// What the files we print to can show, and input that nobody sees.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "io/files/fd.h"

struct termios;  // NOLINT(readability-identifier-naming): the name that POSIX gives it

namespace pi_mcp::io {

using EnvironmentMap = std::map<std::string, std::string>;

[[nodiscard]] bool is_terminal(int file);

// The terminal of this process, opened anew for reading without waiting, so that nothing changes
// for others who share it. Not open when there is none.
Fd open_terminal();

// While it lives, what is typed there is not shown, and no key stops or aborts the program, which
// would leave the terminal so. Afterwards everything is as before, and what was typed ahead is
// dropped: the other lines of a pasted text do not reach the shell.
class HiddenInput {
 public:
  explicit HiddenInput(int terminal);
  HiddenInput(const HiddenInput&) = delete;
  HiddenInput& operator=(const HiddenInput&) = delete;
  HiddenInput(HiddenInput&&) = delete;
  HiddenInput& operator=(HiddenInput&&) = delete;
  ~HiddenInput();

  // False: the terminal goes on showing what is typed.
  [[nodiscard]] bool is_hidden() const { return before_ != nullptr; }

 private:
  int terminal_;
  std::unique_ptr<termios> before_;
};

// The width of the terminal, else $COLUMNS, else 80.
std::size_t terminal_columns(int file, const EnvironmentMap& environment);

// A terminal that obeys control sequences: one with a TERM that is not "dumb".
bool is_capable_terminal(int file, const EnvironmentMap& environment);

// NO_COLOR (no-color.org) wins, then CLICOLOR_FORCE (bixense.com/clicolors); else a capable one.
bool colour_wanted(int file, const EnvironmentMap& environment);

}  // namespace pi_mcp::io
