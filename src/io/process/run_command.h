// Runs a command to its end and keeps what it printed: for configured values such as `!pass show
// x`.
#pragma once

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"
#include "io/process/process.h"

namespace pi_mcp::io {

struct CommandLimits {
  Milliseconds time_max{10'000};
  std::size_t output_bytes_max = std::size_t{1} << 20U;
};

struct CommandOutput {
  std::string text;  // its stdout, as it came
  ExitStatus status;
};

// Starts the command, gives it `input` on its stdin, drops its stderr, and leaves nothing of it
// behind however it ends. timed_out, invalid_argument (more output than allowed), cancelled, and
// what Process::start() says; an exit status other than 0 is not an error here.
Task<Result<CommandOutput>> run_command(Command command,
                                        CommandLimits limits = {},
                                        std::string input = {});

}  // namespace pi_mcp::io
