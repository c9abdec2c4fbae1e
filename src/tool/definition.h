// The definitions of our own tools as we show them to a host. They depend on the configuration only
// and on nothing that happens at run time, so that a host's prompt cache stays valid. Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/settings.h"

namespace pi_mcp::tool {

// The tools' names, "mcp" and "mcp_write".
std::string_view mcp_tool_name();
std::string_view write_tool_name();

struct ToolForm {
  // Two tools: `mcp`, which only reads, and `mcp_write`, which may call every tool.
  bool split = false;
  // For the annotations of the one `mcp`: what a call of it may do without our asking the user.
  bool may_destroy = true;
  bool may_act = true;  // anything but look things up
};

// As splitTool and approveTools of the configuration say.
ToolForm tool_form(const config::Settings& settings);

// The Tool objects of tools/list, JSON with a comma between: name, description, inputSchema,
// annotations. Without the annotations at most 200 o200k tokens, at most 300 for both of a split.
std::string own_tool_definitions(const ToolForm& form);

// The whole result of tools/list where there are no other tools.
std::string tools_list_result(const ToolForm& form = {});

}  // namespace pi_mcp::tool
