// Gives back the memory that a forked process shares with its parent and does not need.
#pragma once

namespace pi_mcp::io {

// Whether the allocator is that of the C library. Another one (a sanitizer's, one that the user
// preloads) keeps data of its own where drop_allocated_memory() would not expect it. To be asked
// before the fork.
[[nodiscard]] bool can_drop_allocated_memory();

// Unmaps the heap and large private mappings. For a process that goes on with system calls, static
// data and its stack alone: everything that was allocated is gone.
void drop_allocated_memory();

}  // namespace pi_mcp::io
