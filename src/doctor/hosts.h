// Other programs that may get in our way: hosts that start a server which we start, too, and other
// versions of pi-mcp. Reads their files.
#pragma once

#include <string>
#include <vector>

#include "doctor/facts.h"
#include "doctor/gather.h"
#include "io/loop/task.h"

namespace pi_mcp::doctor {

// The hosts whose files have pi-mcp.
std::vector<HostFacts> look_at_hosts(const Place& place);

// The programs that the user's file imports, and that have neither a server nor a file that cannot
// be read.
std::vector<StaleImport> look_for_stale_imports(const Place& place);

// Asks every pi-mcp that a shell, a desktop or a host would start, and that is another file than
// this program, for its version; a few seconds each.
io::Task<std::vector<OtherProgram>> look_for_other_programs(config::Environment environment,
                                                            std::vector<HostFacts> hosts);

}  // namespace pi_mcp::doctor
