#include "gateway/mode_describe.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/failures.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

constexpr std::size_t suggestions_max = 5;

std::string tool_json(const catalog::CatalogTool& tool, const ToolMarks& marks) {
  json::Writer out;
  out.begin_object()
      .member("name", tool.name)
      .member("originalName", tool.original)
      .member("description", tool.description);
  if (!tool.title.empty()) {
    out.member("title", tool.title);
  }
  if (!tool.input_schema.empty()) {
    out.member_raw("inputSchema", tool.input_schema.view());
  }
  if (!tool.annotations.empty()) {
    out.member_raw("annotations", tool.annotations.view());
  }
  if (tool.is_resource()) {
    out.member("resourceUri", tool.resource_uri);
  }
  if (marks.needs_approval) {
    out.member("requiresApproval", true);
  }
  if (marks.is_projects) {
    out.member("project", true);
  }
  return out.end_object().take();
}

std::string parameters_text(const catalog::CatalogTool& tool) {
  if (tool.is_resource()) {
    return "No parameters required (resource tool).";
  }
  const std::string schema = schema_block(tool.input_schema, describe_style, "");
  return schema.empty() ? "No parameters defined." : schema;
}

ToolResult described(const catalog::CatalogTool& tool,
                     std::size_t offset,
                     std::size_t tokens_max,
                     const ToolMarks& marks) {
  std::string text = tool.name + marks_text(marks) + "\nServer: " + tool.server + "\n";
  if (tool.is_resource()) {
    text += "Type: Resource (reads from " + tool.resource_uri + ")\n";
  }
  const std::string_view description = text::trim(tool.description);
  const std::string parameters = parameters_text(tool);
  const std::string more = "describe: " + quoted(tool.name);
  // Parameters come first, since without them there is no call, but a description gets its half.
  const std::size_t parameters_tokens = estimated_tokens(parameters);
  const std::size_t half = tokens_max / 2;
  const std::size_t head = estimated_tokens(text);
  const bool is_first = offset == 0;
  if (offset < description.size() || description.empty()) {
    const std::size_t wanted = parameters_tokens + head;
    text +=
        "\n" +
        (description.empty()
             ? "(no description)"
             : shown_part({.text = description,
                           .offset = offset,
                           .tokens_max = std::max(half, tokens_max - std::min(tokens_max, wanted)),
                           .more = more}));
  }
  if (is_first || offset >= description.size()) {
    const std::size_t used = std::min(estimated_tokens(text), tokens_max);
    text += "\n\n" + shown_part({.text = parameters,
                                 .offset = offset - std::min(offset, description.size()),
                                 .tokens_max = std::max(half, tokens_max - used),
                                 .more = more,
                                 .offset_base = description.size()});
  }
  return Answer(Mode::describe, std::move(text))
      .with_json("tool", tool_json(tool, marks))
      .with("server", tool.server)
      .take();
}

// Where a tool nobody knows may be: an enabled server that was never connected and whose prefix the
// name has.
std::optional<std::string> unknown_home(const Roster& roster, const ToolRequest& request) {
  const std::vector<std::string> homes = request.server.empty()
                                             ? roster.catalog().servers_by_prefix(request.describe)
                                             : std::vector<std::string>{request.server};
  for (const std::string& server : homes) {
    if (roster.is_enabled(server) &&
        roster.catalog().knowledge(server) == catalog::Knowledge::unknown) {
      return server;
    }
  }
  return std::nullopt;
}

ToolResult not_found(const Roster& roster, SearchIndex& index, const ToolRequest& request) {
  std::string text = "Tool " + quoted(request.describe) + " not found";
  text += request.server.empty() ? "" : " on server " + quoted(request.server);
  text += ". Use mcp({ search: \"...\"";
  text += request.server.empty() ? "" : ", server: " + quoted(request.server);
  text += " }) to search.";
  const std::vector<std::string> near =
      index.suggest(request.describe, request.server, suggestions_max);
  text += near.empty() ? "" : " Did you mean: " + text::join(near, ", ");
  if (const std::optional<std::string> server = unknown_home(roster, request)) {
    text += "\nServer " + quoted(*server) +
            " was never connected. Use mcp({ connect: " + quoted(*server) +
            " }) to learn its tools.";
  }
  Answer answer(Mode::describe, ToolResult::Failure::not_found, "tool_not_found", std::move(text));
  answer.with("requestedTool", echoed(request.describe));
  if (!near.empty()) {
    answer.with_json("suggestions", names_json(near));
  }
  return answer.take();
}

}  // namespace

ToolResult describe_result(const Roster& roster,
                           SearchIndex& index,
                           const ToolRequest& request,
                           const MarksOf& marks_of) {
  if (!request.server.empty()) {
    const config::Server* server = roster.find(request.server);
    if (server == nullptr || server->disabled) {
      Answer refused = server == nullptr ? unknown_server(Mode::describe, request.server)
                                         : disabled_server(Mode::describe, request.server);
      return refused.with("requestedTool", echoed(request.describe)).take();
    }
  }
  const catalog::Catalog& catalog = roster.catalog();
  const catalog::Lookup lookup =
      catalog.find(request.describe, request.server, roster.enabled_filter());
  switch (lookup.kind) {
    case catalog::Lookup::Kind::found:
      return described(
          *lookup.tool, request.offset, answer_tokens_max(roster), marks_of(*lookup.tool));
    case catalog::Lookup::Kind::ambiguous:
      return ambiguous_tool(Mode::describe, request.describe, lookup.candidates).take();
    case catalog::Lookup::Kind::none:
      break;
  }
  const catalog::Lookup any = catalog.find(request.describe, "", {});
  if (request.server.empty() && any.kind == catalog::Lookup::Kind::found) {
    return disabled_server(Mode::describe, any.tool->server)
        .with("requestedTool", echoed(request.describe))
        .take();
  }
  return not_found(roster, index, request);
}

}  // namespace pi_mcp::gateway
