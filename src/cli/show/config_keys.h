// What `pi-mcp config --keys` explains: every key of the configuration, from its declaration. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/show/style.h"

namespace pi_mcp::cli {

// All keys, or those of these names. not_found: there is no such key; says which is nearest.
Result<std::string> keys_text(const std::vector<std::string>& names,
                              const Style& style,
                              std::size_t columns);
Result<std::string> keys_json(const std::vector<std::string>& names);

}  // namespace pi_mcp::cli
