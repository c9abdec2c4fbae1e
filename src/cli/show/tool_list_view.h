// The tools of servers as a terminal shows them. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "cli/show/style.h"
#include "tool/answer.h"

namespace pi_mcp::cli {

// Some tools of a server.
struct ToolPage {
  std::size_t total = 0;  // how many tools it has
  std::vector<const catalog::CatalogTool*> tools;
  std::optional<std::size_t> next;  // offset of the page after it
};

// The server with a count, then one aligned line a tool: name and the beginning of its description,
// cut to `columns`; how to see more when there is. Shown without control sequences.
std::string tool_list_view(std::string_view server,
                           const ToolPage& page,
                           const Style& style,
                           std::size_t columns);

// A server that was connected, with how many tools the answer says it has. One line, ended.
std::string connected_line(std::string_view server, const tool::Answer& answer, const Style& style);

}  // namespace pi_mcp::cli
