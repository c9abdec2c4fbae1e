#include "tool/modes/list.h"

#include <algorithm>

#include "base/count_text.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "tool/answer_budget.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/mode_parts.h"
#include "tool/modes/past_end.h"
#include "tool/text.h"
#include "tool/tool_groups.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t preview_units_max = 300;
constexpr std::size_t templates_shown_max = 20;
constexpr std::size_t template_units_max = 200;

// What the server says about itself, shortened.
Message instructions_preview(const std::string& server, const std::string& instructions) {
  if (instructions.empty()) {
    return {};
  }
  const std::string preview = text::cut(instructions, preview_units_max);
  Message block = "\n\nServer instructions:\n" + preview;
  if (preview.size() != instructions.size()) {
    block += "\nUse " + Message(NextStep{.mode = Mode::instructions, .subject = server}) +
             " for the full text.";
  }
  return block;
}

// Where a page begins, and how much of it there may be.
struct Cut {
  std::size_t offset = 0;
  std::size_t limit = 0;
  std::size_t tokens_max = 0;
};

// The tools of a page while it is made.
struct Tools {
  std::string lines;
  std::vector<const catalog::CatalogTool*> tools;
};

// A line each, with the first words of its description.
Tools lines_page(const std::vector<const catalog::CatalogTool*>& tools,
                 const Cut& cut,
                 const NameNotes& notes) {
  Tools page;
  std::size_t tokens = 0;
  for (std::size_t i = cut.offset; i < tools.size() && page.tools.size() < cut.limit; ++i) {
    const std::string line = "\n" + dash_line(*tools[i], notes);
    tokens += estimated_tokens(line);
    if (!page.tools.empty() && tokens > cut.tokens_max) {
      break;
    }
    page.lines += line;
    page.tools.push_back(tools[i]);
  }
  return page;
}

// More tools than a page has lines: only their names, so that all of them are seen at once.
Tools names_page(const std::vector<catalog::CatalogTool>& tools,
                 const std::vector<ToolGroup>& groups,
                 const Cut& cut) {
  const std::string_view prefix = common_prefix(tools);
  GroupedPage grouped = grouped_page(groups, cut.offset, cut.tokens_max, prefix.size());
  const std::string head = prefix.empty() ? ""
                                          : "\nAll names begin with \"" + std::string(prefix) +
                                                "\", which is left out here.\n";
  return {.lines = head + grouped.text, .tools = std::move(grouped.tools)};
}

std::vector<const catalog::CatalogTool*> pointers_to(
    const std::vector<catalog::CatalogTool>& tools) {
  std::vector<const catalog::CatalogTool*> pointers;
  pointers.reserve(tools.size());
  for (const catalog::CatalogTool& tool : tools) {
    pointers.push_back(&tool);
  }
  return pointers;
}

// Tools have the same numbers however a page looks: many of them are numbered by group.
ListPage page_of(const registry::ServerRegistry& registry,
                 const std::vector<catalog::CatalogTool>& tools,
                 const ToolRequest& request,
                 const MarksOf& marks_of) {
  // The first line says, once, whose server it is.
  const MarksOf marks_of_tool = [&marks_of](const catalog::CatalogTool& tool) {
    ToolMarks marks = marks_of(tool);
    marks.is_projects = false;
    return marks;
  };
  const NameNotes notes{.has_namesake = namesakes(registry), .marks_of = marks_of_tool};
  const Cut cut{.offset = std::min(request.offset, tools.size()),
                .limit = request.limit.value_or(list_limit_default),
                .tokens_max = answer_tokens_max(registry)};
  Tools shown;
  ListPage page;
  page.first = cut.offset;
  if (tools.size() > list_limit_default) {
    const std::vector<ToolGroup> groups = group_tools(tools);
    page.by_name_only = !request.limit;
    shown = page.by_name_only ? names_page(tools, groups, cut)
                              : lines_page(in_order(groups), cut, notes);
  } else {
    shown = lines_page(pointers_to(tools), cut, notes);
  }
  page.lines = std::move(shown.lines);
  for (const catalog::CatalogTool* tool : shown.tools) {
    page.names.push_back(tool->name);
    if (request.definitions) {
      page.definitions.push_back(definition_of(*tool));
    }
    if (marks_of(*tool).needs_approval) {
      page.guarded.push_back(tool->name);
    }
    if (!page.namesake && notes.has_namesake(*tool)) {
      page.namesake.emplace(tool->name, tool->server);
    }
  }
  return page;
}

Message empty_text(const ListFacts& facts) {
  const std::string name = quoted(facts.server);
  switch (facts.knowledge) {
    case catalog::Knowledge::live:
      return "Server " + name + " has no tools.";
    case catalog::Knowledge::cached:
      return "Server " + name + " has no cached tools (not connected).";
    case catalog::Knowledge::unknown:
      break;
  }
  return "Server " + name + " is configured but not connected\n" + facts.unknown;
}

Message page_text(const ListFacts& facts) {
  if (facts.page.names.empty()) {
    return quoted(facts.server) + ": " + past_end_text(facts.total, "tool");
  }
  const bool live = facts.knowledge == catalog::Knowledge::live;
  Message text = facts.server + (facts.is_projects ? " (project)" : "") + " (" +
                 text::count_text(facts.total, "tool") +
                 (live ? "):\n" : " (not connected, cached)):\n") + facts.page.lines;
  text += paging_footer(facts.page.names.size(), facts.page.first, facts.total);
  if (facts.page.by_name_only) {
    text += "\n\n" + Message(NextStep{.mode = Mode::search, .server = facts.server}) +
            " shows what they do.";
  }
  if (facts.page.namesake) {
    text += namesake_note(facts.page.namesake->first, facts.page.namesake->second);
  }
  return text;
}

// They are not tools: a model reads them with a uri that it makes of one.
Message templates_text(const std::string& server, const std::vector<mcp::Resource>& templates) {
  if (templates.empty()) {
    return {};
  }
  Message text = "\n\nResource templates, to read with " +
                 Message(NextStep{.mode = Mode::read, .subject = "URI", .server = server}) + ":";
  for (std::size_t i = 0; i < std::min(templates.size(), templates_shown_max); ++i) {
    const mcp::Resource& each = templates[i];
    const std::string& about = each.description.empty() ? each.name : each.description;
    text += "\n- " + text::cut(one_line(each.uri + " - " + about), template_units_max);
  }
  if (templates.size() > templates_shown_max) {
    text += "\n... and " + std::to_string(templates.size() - templates_shown_max) + " more";
  }
  return text;
}

}  // namespace

std::optional<std::size_t> ListFacts::next() const {
  return page.next() < total ? std::optional(page.next()) : std::nullopt;
}

Message ListFacts::text() const {
  Message text = total == 0 ? empty_text(*this) : page_text(*this);
  text += templates_text(server, templates);
  for (const std::string& note : notes) {
    text += "\n\n! " + one_line(note);
  }
  return text + instructions_preview(server, instructions);
}

void ListFacts::write_details(json::Writer& out) const {
  out.member("server", server)
      .member_raw("tools", names_json(page.names))
      .member("count", total)
      .member("hasMore", next().has_value())
      .member_raw("nextOffset", next() ? std::to_string(*next()) : "null")
      .member("hasInstructions", !instructions.empty());
  if (!templates.empty()) {
    std::vector<std::string> uris;
    uris.reserve(templates.size());
    for (const mcp::Resource& each : templates) {
      uris.push_back(each.uri);
    }
    out.member_raw("resourceTemplates", names_json(uris));
  }
  if (!page.definitions.empty()) {
    out.key("definitions").begin_array();
    for (const ToolDefinition& definition : page.definitions) {
      out.begin_object().member("name", definition.name);
      write_definition(out, definition);
      out.end_object();
    }
    out.end_array();
  }
  if (!page.guarded.empty()) {
    out.member_raw("requireApproval", names_json(page.guarded));
  }
  if (knowledge == catalog::Knowledge::cached) {
    out.member("cached", true);
  }
}

io::Task<Answer> run_list(ModeParts* parts, ToolRequest request, CallContext context) {
  registry::ServerRegistry& registry = *parts->registry;
  registry.note_use(request.subject);
  registry.learn_from_others(request.subject);
  const config::Server* server = registry.find(request.subject);
  if (server == nullptr) {
    co_return unknown_server(Mode::list, registry, request.subject)
        .with_json("tools", "[]")
        .with_json("count", "0")
        .take();
  }
  if (server->disabled) {
    co_return disabled_server(Mode::list, registry, request.subject).take();
  }
  if (registry.knowledge(request.subject) == catalog::Knowledge::unknown) {
    co_await wait_for_unknown(
        parts,
        request.subject,
        std::move(context),
        [] { return false; },
        io::now() + parts->first_wait);
  }
  co_return tool_list(registry, request.subject, request, parts->marks_of);
}

Answer tool_list(const registry::ServerRegistry& registry,
                 std::string_view server,
                 const ToolRequest& request,
                 const MarksOf& marks_of) {
  const std::vector<catalog::CatalogTool>& tools = registry.catalog().tools(server);
  ListFacts facts;
  facts.server = server;
  facts.knowledge = registry.knowledge(server);
  facts.total = tools.size();
  if (tools.empty()) {
    facts.unknown = unknown_text(unknown_servers(registry, server));
  } else {
    facts.is_projects = marks_of(tools.front()).is_projects;
    facts.page = page_of(registry, tools, request, marks_of);
  }
  facts.templates = registry.catalog().templates(server);
  facts.notes = registry.catalog().notes(server);
  facts.instructions = registry.catalog().instructions(server);
  const bool is_known = facts.knowledge != catalog::Knowledge::unknown;
  Answer answer = answer_of(Mode::list, std::move(facts));
  if (!is_known) {
    const bool is_refused =
        registry.status(server).state == servers::ServerStatus::State::needs_auth;
    answer.failure = is_refused ? Failure::unauthorized : Failure::unavailable;
    answer.code = is_refused ? "auth_required" : "not_connected";
  }
  return answer;
}

}  // namespace pi_mcp::tool
