#include "gateway/mode_list.h"

#include <algorithm>

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/failures.h"
#include "gateway/tool_groups.h"
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

// One page of a server's tools.
struct ListPage {
  std::string text;
  std::vector<const catalog::CatalogTool*> tools;
  std::size_t next = 0;  // offset of the next page
};

// A line each, with the first words of its description.
ListPage lines_page(const std::vector<const catalog::CatalogTool*>& tools,
                    const ToolRequest& request,
                    std::size_t tokens_max,
                    const NameNotes& notes) {
  ListPage page;
  const std::size_t limit = request.limit.value_or(list_limit_default);
  const std::size_t first = std::min(request.offset, tools.size());
  std::size_t tokens = 0;
  for (std::size_t i = first; i < tools.size() && page.tools.size() < limit; ++i) {
    const std::string line = "\n" + dash_line(*tools[i], notes);
    tokens += estimated_tokens(line);
    if (!page.tools.empty() && tokens > tokens_max) {
      break;
    }
    page.text += line;
    page.tools.push_back(tools[i]);
  }
  page.next = first + page.tools.size();
  page.text += paging_footer(page.tools.size(), first, tools.size());
  return page;
}

// More tools than a page has lines: only their names, so that all of them are seen at once.
ListPage names_page(const std::vector<catalog::CatalogTool>& tools,
                    const std::vector<ToolGroup>& groups,
                    std::size_t offset,
                    std::size_t tokens_max) {
  const std::string_view prefix = common_prefix(tools);
  const std::size_t first = std::min(offset, tools.size());
  GroupedPage grouped = grouped_page(groups, first, tokens_max, prefix.size());
  ListPage page{.text = {}, .tools = std::move(grouped.tools)};
  page.text = prefix.empty() ? ""
                             : "\nAll names begin with \"" + std::string(prefix) +
                                   "\", which is left out here.\n";
  page.text += grouped.text;
  page.next = first + page.tools.size();
  page.text += paging_footer(page.tools.size(), first, tools.size());
  page.text += "\n\nmcp({ search: \"...\", server: " + quoted(tools.front().server) +
               " }) shows what they do.";
  return page;
}

// However a page looks, its tools have the same numbers: of many those of their groups.
ListPage page_of(const Roster& roster,
                 const std::vector<catalog::CatalogTool>& tools,
                 const ToolRequest& request,
                 const MarksOf& marks_of) {
  // Whose server it is stands in the first line, once.
  const MarksOf marks_of_tool = [&marks_of](const catalog::CatalogTool& tool) {
    ToolMarks marks = marks_of(tool);
    marks.is_projects = false;
    return marks;
  };
  const NameNotes notes{.has_namesake = namesakes(roster), .marks_of = marks_of_tool};
  const std::size_t tokens_max = answer_tokens_max(roster);
  ListPage page;
  if (tools.size() > list_limit_default) {
    const std::vector<ToolGroup> groups = group_tools(tools);
    page = request.limit ? lines_page(in_order(groups), request, tokens_max, notes)
                         : names_page(tools, groups, request.offset, tokens_max);
  } else {
    std::vector<const catalog::CatalogTool*> all;
    all.reserve(tools.size());
    for (const catalog::CatalogTool& tool : tools) {
      all.push_back(&tool);
    }
    page = lines_page(all, request, tokens_max, notes);
  }
  const auto shared = std::ranges::find_if(
      page.tools, [&notes](const catalog::CatalogTool* tool) { return notes.has_namesake(*tool); });
  page.text += namesake_note(shared == page.tools.end() ? nullptr : *shared);
  return page;
}

std::string empty_text(std::string_view server, const ServerStatus& status, bool live, bool known) {
  const std::string name = quoted(server);
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

ToolResult list_result(const Roster& roster, const ToolRequest& request, const MarksOf& marks_of) {
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
  return tool_list(roster, request.server, request, marks_of);
}

ToolResult tool_list(const Roster& roster,
                     std::string_view server,
                     const ToolRequest& request,
                     const MarksOf& marks_of) {
  const catalog::Knowledge knowledge = roster.catalog().knowledge(server);
  const bool live = knowledge == catalog::Knowledge::live;
  const std::vector<catalog::CatalogTool>& tools = roster.catalog().tools(server);
  const std::string& instructions = roster.catalog().instructions(server);
  const bool known = knowledge != catalog::Knowledge::unknown;

  std::string text;
  std::vector<std::string> names;
  std::vector<std::string> guarded;
  std::size_t next = 0;
  if (tools.empty()) {
    text = empty_text(server, roster.status(server), live, known);
  } else {
    text = std::string(server) + (marks_of(tools.front()).is_projects ? " (project)" : "") + " (" +
           std::to_string(tools.size()) + " tools" +
           (live ? "):\n" : " (not connected, cached)):\n");
    const ListPage page = page_of(roster, tools, request, marks_of);
    text += page.text;
    next = page.next;
    for (const catalog::CatalogTool* tool : page.tools) {
      names.push_back(tool->name);
      if (marks_of(*tool).needs_approval) {
        guarded.push_back(tool->name);
      }
    }
  }
  for (const std::string& note : roster.catalog().notes(server)) {
    text += "\n\n! " + one_line(note);
  }
  text += instructions_preview(server, instructions);

  Answer answer =
      known
          ? Answer(Mode::list, std::move(text))
          : Answer(Mode::list, ToolResult::Failure::unavailable, "not_connected", std::move(text));
  answer.with("server", server)
      .with_json("tools", names_json(names))
      .with("count", tools.size())
      .with("hasMore", next < tools.size())
      .with_json("nextOffset", next < tools.size() ? std::to_string(next) : "null")
      .with("hasInstructions", !instructions.empty());
  if (!guarded.empty()) {
    answer.with_json("requireApproval", names_json(guarded));
  }
  if (known && !live) {
    answer.with("cached", true);
  }
  return answer.take();
}

}  // namespace pi_mcp::gateway
