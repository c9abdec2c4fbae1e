// What the shell that started us allows this process, checked and mended once at the start.
#pragma once

#include <cstddef>

#include "base/result.h"

namespace pi_mcp::io {

// Makes sure that so many files can be open, as far as the hard limit allows it. io: it does not;
// the message says what to do.
Result<void> ensure_open_files(std::size_t wanted);

// Files and folders that are made from now on can be read and written by who makes them, whatever
// the umask says; of others it goes on to decide. Without it a lock that was made could not be
// taken again.
void keep_own_rights();

}  // namespace pi_mcp::io
