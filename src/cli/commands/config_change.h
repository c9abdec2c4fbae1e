// Changes one configuration file so that no change of another pi-mcp is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

enum class Change : std::uint8_t { made, not_needed };

// `edit` gets the text of the file ("" when there is none) and gives the new one. All changes of
// this user wait for one lock beside the user file, so that projects get no lock files. Errors name
// the file.
Result<Change> change_file(const Setup& setup,
                           const std::string& path,
                           const std::function<Result<std::string>(std::string_view)>& edit);

}  // namespace pi_mcp::cli
