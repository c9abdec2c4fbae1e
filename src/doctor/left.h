// Processes of ours that outlive the pi-mcp above them: a keeper ends what it keeps within a
// second, unless it is stopped or the kernel cannot end one of them.
#pragma once

#include <vector>

#include "config/environment.h"
#include "doctor/facts.h"
#include "io/loop/task.h"

namespace pi_mcp::doctor {

// Waits for those that are about to end, should there be any.
io::Task<std::vector<LeftProcess>> look_for_left_processes(config::Environment environment);

// Kills one of them and all that it keeps. False when it is still there after 3 s.
io::Task<bool> end_left_process(int process_id);

}  // namespace pi_mcp::doctor
