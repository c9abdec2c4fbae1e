// Prints what a request of the session gave: for a person, for a pipe, or as JSON.
#pragma once

#include <optional>
#include <string>

#include "cli/show/console.h"
#include "cli/show/exit_status.h"
#include "gateway/session.h"

namespace pi_mcp::cli {

// How a result is to be printed.
struct OutputOptions {
  bool json = false;
  std::optional<std::string> file;  // the value of --output
};

// Prints an answer of the session to stdout, or why there is none to stderr (with --json also to
// stdout). `subject` is the tool or server it is about. Returns the status to end with.
ExitStatus print_answer(Console& console,
                        const OutputOptions& options,
                        const std::string& subject,
                        gateway::Session& session,
                        const tool::Answer& answer);

}  // namespace pi_mcp::cli
