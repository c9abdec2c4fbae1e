// TOML as JSON text, so that one set of translations reads both. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::config {

// invalid_argument names line, column and reason. Dates become strings, infinities null.
Result<std::string> toml_to_json(std::string_view text);

}  // namespace pi_mcp::config
