// Starts launchers where no file of the session's folder counts (packages/isolation.h).
#pragma once

#include "base/result.h"
#include "servers/launch/launch.h"
#include "transport/stdio_child.h"

namespace pi_mcp::servers {

// The launch with command, arguments, variables and folder as they are started; unchanged unless it
// is `kept_out`. Writes a small file below the agentDir for the two launchers that load one.
// invalid_argument: a launcher that cannot be isolated, and the folder has a file that it would
// read. io: that file of ours cannot be written.
Result<Launch> placed(Launch launch);

// For a launch as configured: what the end of its stderr means when its start failed and a file of
// the session's folder would have helped. Empty function: nothing can be said. The function looks
// at a few small files and gives a sentence, or nothing.
transport::FindAdvice start_advice(const Launch& launch);

// What a package's program needs besides its launcher's work: so that Bun, if that is what runs it,
// reads no settings of the folder.
void add_program_variables(Launch& launch);

}  // namespace pi_mcp::servers
