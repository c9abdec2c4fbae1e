// What to say of a server that does not exist: which one somebody may have meant, and in which file
// that cannot be read it may stand.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/setup.h"
#include "config/settings.h"

namespace pi_mcp::cli {

// not_found: "there is no server "x"", and the nearest one, or `otherwise` when none is. With a
// file that cannot be read: also that, with the place in it.
Error unknown_server(const config::Settings& settings,
                     std::string_view wrong,
                     std::string_view otherwise = "; pi-mcp status shows all");

// "it may stand in what cannot be read: " and the files; empty when all could be read.
std::string left_out_text(const config::Settings& settings);

// The status of a command that ended with `status`. The one rule of docs/cli.md: what is not found
// may stand in a file that cannot be read.
ExitStatus status_of_lookup(const Setup& setup, ExitStatus status);

// "configured are a, b", or "none is configured".
std::string configured_text(const config::Settings& settings);

}  // namespace pi_mcp::cli
