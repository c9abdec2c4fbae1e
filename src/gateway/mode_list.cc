#include "gateway/mode_list.h"

#include <algorithm>

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/failures.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

constexpr std::size_t preview_units_max = 300;

// What the server says about itself, shortened.
std::string instructions_preview(std::string_view server, const std::string& instructions) {
  if (instructions.empty()) {
    return {};
  }
  const std::string preview = text::cut(instructions, preview_units_max);
  std::string block = "\n\nServer instructions:\n" + preview;
  if (preview.size() != instructions.size()) {
    block += "\nUse mcp({ instructions: \"" + std::string(server) + "\" }) for the full text.";
  }
  return block;
}

std::string empty_text(std::string_view server, const ServerStatus& status, bool live, bool known) {
  const std::string name = "\"" + std::string(server) + "\"";
  if (live) {
    return "Server " + name + " has no tools.";
  }
  if (known) {
    return "Server " + name + " has no cached tools (not connected).";
  }
  std::string text = "Server " + name + " is configured but not connected";
  text += status.reason.empty() ? "" : " (" + one_line(status.reason) + ")";
  return text + ". Use mcp({ connect: " + name + " }) to connect it.";
}

}  // namespace

ToolResult list_result(const Roster& roster, const ToolRequest& request) {
  const config::Server* server = roster.find(request.server);
  if (server == nullptr) {
    return unknown_server(Mode::list, request.server)
        .with_json("tools", "[]")
        .with("count", 0)
        .take();
  }
  if (server->disabled) {
    return disabled_server(Mode::list, request.server).take();
  }
  return tool_list(roster, request.server, request);
}

ToolResult tool_list(const Roster& roster, std::string_view server, const ToolRequest& request) {
  const catalog::Knowledge knowledge = roster.catalog().knowledge(server);
  const bool live = knowledge == catalog::Knowledge::live;
  const std::vector<catalog::CatalogTool>& tools = roster.catalog().tools(server);
  const std::string& instructions = roster.catalog().instructions(server);
  const bool known = knowledge != catalog::Knowledge::unknown;

  std::string text;
  std::vector<std::string> names;
  if (tools.empty()) {
    text = empty_text(server, roster.status(server), live, known);
  } else {
    text = std::string(server) + " (" + std::to_string(tools.size()) + " tools" +
           (live ? "):\n" : " (not connected, cached)):\n");
    const std::size_t limit = request.limit.value_or(list_limit_default);
    const std::size_t first = std::min(request.offset, tools.size());
    const std::size_t last = first + std::min(limit, tools.size() - first);
    for (std::size_t i = first; i < last; ++i) {
      text += "\n" + dash_line(tools[i]);
      names.push_back(tools[i].name);
    }
    text += paging_footer(names.size(), first, tools.size());
  }
  text += instructions_preview(server, instructions);

  Answer answer =
      known
          ? Answer(Mode::list, std::move(text))
          : Answer(Mode::list, ToolResult::Failure::unavailable, "not_connected", std::move(text));
  answer.with("server", server)
      .with_json("tools", names_json(names))
      .with("count", tools.size())
      .with("hasInstructions", !instructions.empty());
  if (known && !live) {
    answer.with("cached", true);
  }
  return answer.take();
}

}  // namespace pi_mcp::gateway
