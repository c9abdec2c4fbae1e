// `pi-mcp describe TOOL`, as a terminal shows it. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "cli/show/style.h"
#include "tool/modes/describe.h"

namespace pi_mcp::cli {

// What the tool does, and a line for each parameter with what is said of it beside it. Nothing is
// cut; words break at `columns`. Foreign texts are shown without control sequences.
std::string describe_view(const tool::DescribeFacts& facts,
                          const Style& style,
                          std::size_t columns);
// The part of it below the name.
std::string described(const catalog::CatalogTool& tool, const Style& style, std::size_t columns);

}  // namespace pi_mcp::cli
