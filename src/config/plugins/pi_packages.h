// Which packages Pi has (https://pi.dev/docs, "Packages"). Pure but for FileSource.
#pragma once

#include <string_view>

#include "config/environment.h"
#include "config/file_source.h"

namespace pi_mcp::config {

// Whether the user's settings of Pi list the package of this name: by it, or by a folder or an
// address whose package.json has it.
bool pi_has_package(const Environment& environment, const FileSource& files, std::string_view name);

}  // namespace pi_mcp::config
