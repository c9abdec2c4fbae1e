// Whether a stream can be given to another process, which then reads or writes it in our place.
#pragma once

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

// A pipe of this user without a name, or a stream socket. invalid_argument says what it is instead:
// a file and a terminal have no way to be non-blocking for one process alone, a named FIFO does not
// report the end of writers that left before, another user's pipe cannot be opened anew.
Result<void> can_be_handed(int stream);

// Makes our stderr one that does not block us where that can be without changing it for others.
void have_own_stderr();

}  // namespace pi_mcp::io
