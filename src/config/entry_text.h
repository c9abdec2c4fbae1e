// One server's entry as its person wrote it, comments and all: shown alone, and put back so that
// every other byte of the file stays. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::config {

// The object of the entry, its lines less the indentation of the first. not_found when the file has
// no such entry, invalid_argument with line and column when it is not JSON.
Result<std::string> entry_text(std::string_view file, const std::string& server);

// The file with `entry` in its place. invalid_argument, with line and column of `entry`, where that
// is not one JSON object; what stands around the object is dropped.
Result<std::string> with_entry_text(std::string_view file,
                                    const std::string& server,
                                    std::string_view entry);

}  // namespace pi_mcp::config
