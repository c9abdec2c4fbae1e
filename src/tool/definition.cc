#include "tool/definition.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "tool/introduction.h"
#include "tool/modes.h"
#include "tool/request.h"

namespace pi_mcp::tool {
namespace {

// Name, description and schema of `mcp` are 215 o200k tokens by the npm package gpt-tokenizer; of
// both tools of a split 296. A parameter's meaning is in the form that uses it, so no parameter
// repeats it. What follows is in pieces, because the two forms share most of it.
constexpr std::string_view mcp_head = R"({"name":"mcp","description":"Use the user's MCP servers)";
constexpr std::string_view mcp_advice =
    R"(\nSearch before guessing a tool name. server also narrows search, describe, call.",)"
    R"("inputSchema":{"type":"object","properties":{)";

constexpr std::string_view write_tool =
    R"({"name":"mcp_write","description":"Call any tool that mcp finds, also those not marked )"
    R"((read-only): {tool:\"name\",args:{...}}",)"
    R"("inputSchema":{"type":"object","properties":{"tool":{"type":"string"},)"
    R"("args":{"anyOf":[{"type":"object"},{"type":"string"}]},"server":{"type":"string"},)"
    R"("action":{"type":"string"}}})";

// A host may show the title to people, and uses the hints to decide whether it asks them.
constexpr std::string_view reading =
    R"(,"annotations":{"title":"MCP servers, read only","readOnlyHint":true,)"
    R"("destructiveHint":false,"openWorldHint":true})";
constexpr std::string_view writing =
    R"(,"annotations":{"title":"MCP servers, all tools","readOnlyHint":false,)"
    R"("destructiveHint":true,"openWorldHint":true})";

// Claude Code keeps results in a file that are longer than this, unless the tool says another size;
// it takes 500,000 at most.
constexpr std::size_t claude_chars_min = 100'000;
constexpr std::size_t claude_chars_max = 500'000;

// What our own output guard leaves, a text and structured content, is to reach the model. Without a
// guard the host's own limit is the only one, and stays.
std::size_t result_chars_max(const config::OutputGuard& guard) {
  return guard.enabled ? std::clamp(2 * guard.bytes_max, claude_chars_min, claude_chars_max) : 0;
}

// Behind the annotations: the end of a tool. A host that defers tools is told to load this one,
// without which its model cannot know that there are any.
std::string end_of(const ToolForm& form) {
  if (!form.has_meta) {
    return "}";
  }
  const std::string size = form.result_chars_max == 0 ? ""
                                                      : R"(,"anthropic/maxResultSizeChars":)" +
                                                            std::to_string(form.result_chars_max);
  return R"(,"_meta":{"anthropic/alwaysLoad":true)" + size + "}}";
}

// Behind mcp_head: " (a, b)", as the inside of a JSON string.
std::string named_servers(const ToolForm& form) {
  if (form.servers.empty()) {
    return {};
  }
  const std::string text = json::quoted(" (" + form.servers + ")");
  return text.substr(1, text.size() - 2);
}

// The lines of the modes, from what needs nothing to what needs most.
std::string mode_lines() {
  std::string lines = ":";
  const std::span<const ModeRow> rows = modes();
  for (std::size_t i = rows.size(); i-- > 0;) {
    lines += rows[i].taught.empty() ? "" : R"(\n)" + std::string(rows[i].taught);
  }
  return lines;
}

// What follows those lines, up to the end of the tool's schema.
std::string schema(bool has_action) {
  std::string schema(mcp_advice);
  std::vector<Parameter> shown = parameters();
  shown.resize(shown.size() - (has_action ? 0 : 1));
  std::string_view before;
  for (const Parameter& parameter : shown) {
    schema.append(std::exchange(before, ",")).append("\"").append(parameter.name);
    schema.append("\":").append(parameter.schema);
  }
  return schema.append("}}");
}

std::string one_tool(const ToolForm& form) {
  std::string tool(mcp_head);
  tool.append(named_servers(form)).append(mode_lines()).append(schema(true));
  tool += R"(,"annotations":{"title":"MCP servers","readOnlyHint":false,"destructiveHint":)";
  tool += form.may_destroy ? "true" : "false";
  tool += R"(,"openWorldHint":)";
  return tool + (form.may_act ? "true" : "false") + "}" + end_of(form);
}

std::string two_tools(const ToolForm& form) {
  std::string tools(mcp_head);
  tools.append(named_servers(form))
      .append(", only reading")
      .append(mode_lines())
      .append(" a tool marked (read-only)");
  tools.append(schema(false)).append(reading).append(end_of(form)).append(",");
  return tools.append(write_tool).append(writing).append(end_of(form));
}

// Which calls the user is asked about: none that matters here, those that may destroy, or all.
struct Asked {
  bool destroyers = false;
  bool all = false;
};

Asked asked_for(const config::Selection& selection) {
  return {.destroyers = selection.all || std::ranges::count(selection.names, "destructive") > 0,
          .all = selection.all};
}

}  // namespace

std::string_view mcp_tool_name() {
  return "mcp";
}

std::string_view write_tool_name() {
  return "mcp_write";
}

ToolForm tool_form(const config::Settings& settings, render::HostKind host) {
  Asked asked = asked_for(settings.approve_tools.value_or(config::Selection{}));
  for (const config::Server& server : settings.servers) {
    if (server.approve_tools && !server.disabled) {
      const Asked own = asked_for(*server.approve_tools);
      asked = {.destroyers = asked.destroyers && own.destroyers, .all = asked.all && own.all};
    }
  }
  return {.servers = named_in_tool(settings),
          .split = settings.split_tool,
          .may_destroy = !asked.destroyers,
          .may_act = !asked.all,
          .has_meta = host != render::HostKind::pi,
          .result_chars_max = result_chars_max(settings.output_guard)};
}

std::string own_tool_definitions(const ToolForm& form) {
  return form.split ? two_tools(form) : one_tool(form);
}

std::string tools_list_result(const ToolForm& form) {
  return R"({"tools":[)" + own_tool_definitions(form) + "]}";
}

}  // namespace pi_mcp::tool
