// A folder that belongs to our user alone.
#pragma once

#include <string>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

// Opens it, and makes it (0700) when it is not there; the folder above must be. io: the system's
// reason. invalid_argument: it is a link or no folder, somebody else's, or others may use it.
Result<Fd> open_own_folder(const std::string& path);

}  // namespace pi_mcp::io
