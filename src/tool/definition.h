// The definitions of our own tools as we show them to a host. They depend on the configuration only
// and on nothing that happens at run time, so that a host's prompt cache stays valid. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "config/settings.h"
#include "render/host_kind.h"

namespace pi_mcp::tool {

// The tools' names, "mcp" and "mcp_write".
std::string_view mcp_tool_name();
std::string_view write_tool_name();

struct ToolForm {
  // The configured servers as the first line names them; empty: there are none, or nobody is told.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string servers = {};
  // Two tools: `mcp`, which only reads, and `mcp_write`, which may call every tool.
  bool split = false;
  // For the annotations of the one `mcp`: what a call of it may do without our asking the user.
  bool may_destroy = true;
  bool may_act = true;               // anything but look things up
  bool has_meta = false;             // hints for hosts that defer tools and cut results
  std::size_t result_chars_max = 0;  // in it; 0: as the host has it
};

// As the configuration says, for this kind of host.
ToolForm tool_form(const config::Settings& settings, render::HostKind host);

// The Tool objects of tools/list, JSON with a comma between: name, description, inputSchema,
// annotations, _meta. Without names of servers, annotations and _meta at most 215 o200k tokens, at
// most 300 for both of a split; the names are 120 more at most.
std::string own_tool_definitions(const ToolForm& form);

// The whole result of tools/list where there are no other tools.
std::string tools_list_result(const ToolForm& form = {});

}  // namespace pi_mcp::tool
