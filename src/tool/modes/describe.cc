#include "tool/modes/describe.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "io/loop/clock.h"
#include "json/document.h"
#include "registry/search_index.h"
#include "schema/render.h"
#include "tool/answer.h"
#include "tool/answer_budget.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/lookup.h"
#include "tool/mode_parts.h"
#include "tool/modes/past_end.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t suggestions_max = 5;

// Of enumerations too long for the line of their parameter.
std::string all_values(const SharedText& schema) {
  std::string text;
  if (const Result<json::Document> document = json::Document::parse(schema)) {
    for (const auto& [name, values] : schema::long_enumerations(document->root())) {
      text.append("\n\nAll values of ").append(name).append(": ").append(values);
    }
  }
  return text;
}

std::string parameters_text(const catalog::CatalogTool& tool) {
  if (tool.is_resource()) {
    return "No parameters required (resource tool).";
  }
  const std::string schema = schema_block(tool.input_schema, SchemaStyle::human, "");
  return schema.empty() ? "No parameters defined." : schema + all_values(tool.input_schema);
}

// Paragraphs of a server must not pass for what we say of it and others.
std::string_view margin_of(std::string_view description) {
  return description.find('\n') == std::string_view::npos ? "" : "  ";
}

}  // namespace

void DescribeFacts::write_details(json::Writer& out) const {
  out.key("tool")
      .begin_object()
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
  out.end_object().member("server", tool.server);
}

bool DescribeFacts::is_renamed() const {
  return !tool.is_resource() && !tool.name.ends_with(tool.original) &&
         text::printable_line(tool.original) == tool.original;
}

Message DescribeFacts::text() const {
  std::string head = tool.name + marks_text(marks) + "\nServer: " + tool.server + "\n" +
                     (is_renamed() ? "Name there: " + tool.original + "\n" : "");
  if (tool.is_resource()) {
    head += "Type: Resource (reads from " + tool.resource_uri + ")\n";
  }
  const std::string_view description = text::trim(tool.description);
  const std::string parameters = parameters_text(tool);
  if (const std::size_t bytes = description.size() + parameters.size(); offset >= bytes) {
    return head + past_end_text(bytes, "byte");
  }
  const NextStep more{.mode = Mode::describe, .subject = tool.name};
  // Parameters come first, because a call needs them, but a description gets its half.
  const std::size_t half = tokens_max / 2;
  std::size_t used = estimated_tokens(head);
  Message text = head;
  if (offset < description.size() || description.empty()) {
    const std::size_t wanted = std::min(tokens_max, estimated_tokens(parameters) + used);
    const Message part = description.empty()
                             ? Message("(no description)")
                             : shown_part({.text = description,
                                           .offset = offset,
                                           .tokens_max = std::max(half, tokens_max - wanted),
                                           .more = more,
                                           .margin = margin_of(description)});
    used += estimated_tokens(part.said_to(Reader::model));
    text += "\n" + part;
  }
  if (offset == 0 || offset >= description.size()) {
    text +=
        "\n\n" + shown_part({.text = parameters,
                             .offset = offset - std::min(offset, description.size()),
                             .tokens_max = std::max(half, tokens_max - std::min(used, tokens_max)),
                             .more = more,
                             .offset_base = description.size()});
  }
  return text;
}

namespace {

// The one server where a tool that nobody knows may be; empty: any.
std::string likely_home(const registry::ServerRegistry& registry, const ToolRequest& request) {
  const std::vector<std::string> homes = request.server.empty()
                                             ? registry.catalog().servers_by_prefix(request.subject)
                                             : std::vector<std::string>{request.server};
  const auto home = std::ranges::find_if(homes, [&registry](const std::string& server) {
    return registry.is_enabled(server) && registry.knowledge(server) == catalog::Knowledge::unknown;
  });
  return home == homes.end() ? request.server : *home;
}

Answer not_found(const registry::ServerRegistry& registry,
                 registry::SearchIndex& index,
                 const ToolRequest& request) {
  if (is_server_name(registry, request)) {
    return server_for_tool(Mode::describe, request.subject).take();
  }
  Message text = "Tool " + quoted(request.subject) + " not found";
  text += request.server.empty() ? "" : " on server " + quoted(request.server);
  text += "." + offered_text(registry, request.subject, request.server);
  text +=
      " Use " + Message(NextStep{.mode = Mode::search, .server = request.server}) + " to search.";
  const std::vector<std::string> likely = likely_servers(registry, request);
  std::vector<std::string> near =
      index.suggest(request.subject, likely.empty() ? "" : likely.front(), suggestions_max);
  if (near.empty() && request.server.empty()) {
    near = index.suggest(request.subject, "", suggestions_max);
  }
  text += near.empty() ? "" : " Did you mean: " + text::join(near, ", ");
  const Message unknown = unknown_text(unknown_servers(registry, likely_home(registry, request)));
  text += unknown.empty() ? "" : "\n" + unknown;
  text += registry.catalog().servers().empty() ? no_server(registry.settings(), "\n") : "";
  Reply reply(Mode::describe, Failure::not_found, "tool_not_found", std::move(text));
  reply.with("requestedTool", echoed(request.subject));
  if (!near.empty()) {
    reply.with_json("suggestions", names_json(near));
  }
  return reply.take();
}

Answer describe(const ModeParts& parts, const ToolRequest& request) {
  const registry::ServerRegistry& registry = *parts.registry;
  if (!request.server.empty()) {
    const config::Server* server = registry.find(request.server);
    if (server == nullptr || server->disabled) {
      Reply refused = server == nullptr ? unknown_server(Mode::describe, registry, request.server)
                                        : disabled_server(Mode::describe, registry, request.server);
      return refused.with("requestedTool", echoed(request.subject)).take();
    }
  }
  const catalog::Catalog& catalog = registry.catalog();
  const catalog::Lookup lookup =
      catalog.find(request.subject, request.server, registry.enabled_filter());
  if (lookup.kind == catalog::Lookup::Kind::found) {
    DescribeFacts facts;
    facts.tool = *lookup.tool;
    facts.marks = parts.marks_of(*lookup.tool);
    facts.offset = request.offset;
    facts.tokens_max = answer_tokens_max(registry);
    return answer_of(Mode::describe, std::move(facts));
  }
  if (lookup.kind == catalog::Lookup::Kind::ambiguous) {
    return ambiguous_tool(Mode::describe, request.subject, lookup.candidates).take();
  }
  const std::string disabled =
      request.server.empty() ? disabled_home(registry, request.subject) : "";
  if (!disabled.empty()) {
    return disabled_server(Mode::describe, registry, disabled)
        .with("requestedTool", echoed(request.subject))
        .take();
  }
  return not_found(registry, *parts.index, request);
}

}  // namespace

io::Task<Answer> run_describe(ModeParts* parts, ToolRequest request, CallContext context) {
  const registry::ServerRegistry& registry = *parts->registry;
  registry.note_use(request.server);
  Answer answer = describe(*parts, request);
  if (answer.code == "tool_not_found") {
    const auto found = [&] {
      return registry.catalog()
                 .find(request.subject, request.server, registry.enabled_filter())
                 .kind != catalog::Lookup::Kind::none;
    };
    const TimePoint deadline = io::now() + parts->first_wait;
    const std::vector<std::string> likely = likely_servers(registry, request);
    co_await wait_for_lists(parts->registry, likely, found, deadline);
    const std::string home = likely_home(registry, request);
    // One that is named and known has been asked; the others are not started for its tool.
    if (!found() && (likely.empty() || !home.empty())) {
      co_await wait_for_unknown(parts, home, std::move(context), found, deadline);
    }
    answer = describe(*parts, request);
  }
  co_return answer;
}

}  // namespace pi_mcp::tool
