// The hidden command __keyring: one question to the keyring of the desktop, in a process that its
// parent kills when there is no answer (auth/keyring.h).
#pragma once

#include <string>
#include <vector>

#include "cli/show/console.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {

// `words`: find, keep or drop, and a name. A secret comes through stdin and goes to stdout; where
// the exit status is `unavailable`, the reason does. not_found: there is none.
ExitStatus run_keyring_command(Console& console, const std::vector<std::string>& words);

}  // namespace pi_mcp::cli
