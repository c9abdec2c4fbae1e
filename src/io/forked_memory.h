// Gives back the memory that a forked process shares with its parent and does not need.
#pragma once

namespace pi_mcp::io {

// Unmaps the heap and large private mappings. For a process that goes on with system calls, static
// data and its stack alone: everything that was allocated is gone. Does nothing in a build with a
// sanitizer, which keeps its own data there.
void drop_allocated_memory();

}  // namespace pi_mcp::io
