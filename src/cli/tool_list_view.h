// The tools of servers as a terminal shows them. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "cli/style.h"

namespace pi_mcp::cli {

// The server with a count, then one aligned line a tool: name and the beginning of its description,
// cut to `columns`. Shown without control sequences.
std::string tool_list_view(std::string_view server,
                           const std::vector<catalog::CatalogTool>& tools,
                           const Style& style,
                           std::size_t columns);

}  // namespace pi_mcp::cli
