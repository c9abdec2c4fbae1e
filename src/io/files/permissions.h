// Who may read a file.
#pragma once

#include <string>

#include "base/result.h"

namespace pi_mcp::io {

// Users other than its owner; false when it does not exist.
[[nodiscard]] bool others_may_read(const std::string& path);

// From now on its owner alone may read and write it. io: the system refuses.
Result<void> make_private(const std::string& path);

}  // namespace pi_mcp::io
