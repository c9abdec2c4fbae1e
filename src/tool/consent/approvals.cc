#include "tool/consent/approvals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "json/writer.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// Longer ones are shown one by one, each cut, so that no short one hides behind a long one.
constexpr std::size_t arguments_units_max = 500;
constexpr std::size_t argument_units_max = 200;
constexpr std::size_t shown_arguments_max = 20;

std::string one_argument(const json::Member& member) {
  const std::string value = json::compact(member.value);
  return "\n" + json::quoted(member.name()) + ": " + both_ends(value, argument_units_max);
}

// Lines for the user to read, complete or with a count of what is hidden.
std::string arguments_text(std::string_view arguments) {
  const Result<json::Document> document = json::Document::parse_view(arguments);
  if (!document || text::utf16_length(arguments) <= arguments_units_max) {
    return "\n" + std::string(arguments);
  }
  std::string lines;
  std::size_t count = 0;
  for (const json::Member member : document->root().members()) {
    lines += ++count <= shown_arguments_max ? one_argument(member) : "";
  }
  if (count > shown_arguments_max) {
    lines += "\n... and " + std::to_string(count - shown_arguments_max) + " more";
  }
  return lines;
}

}  // namespace

bool needs_approval(const config::Selection& selection,
                    std::string_view original,
                    std::string_view displayed,
                    const ToolHints& hints) {
  return selection.all || std::ranges::any_of(selection.names, [&](const std::string& name) {
           return text::glob_match(name, original) || text::glob_match(name, displayed) ||
                  (name == "marked" && hints.is_marked) ||
                  (name == "destructive" && hints.may_destroy);
         });
}

std::string approval_question(std::string_view server,
                              std::string_view tool_name,
                              std::string_view arguments) {
  const std::string tool = one_line(tool_name);
  const std::string asker(server);
  std::string message = asker + " wants to run " + tool;
  message += arguments.size() > 2 ? arguments_text(arguments) : "";
  // enum with enumNames: the one form of titled choices that every revision has.
  json::Writer out;
  out.begin_object().member("message", text::printable(message));
  out.key("requestedSchema").begin_object().member("type", "object");
  out.key("properties").begin_object().key("decision").begin_object();
  out.member("type", "string").member("title", "Decision").key("enum").begin_array();
  out.string("once").string("session").string("always_tool").string("always_server").string("no");
  out.end_array().key("enumNames").begin_array().string("Allow once");
  out.string("Allow " + tool + " for this session").string("Always allow " + tool);
  out.string("Always allow every tool of " + asker).string("Do not allow");
  out.end_array().end_object().end_object();
  out.key("required").begin_array().string("decision").end_array();
  return out.end_object().end_object().take();
}

std::string extensions_question(const CalledTool& called,
                                std::string_view origin,
                                std::string_view arguments) {
  json::Writer out;
  out.begin_object()
      .member("message", "May this call run?")
      .key("requestedSchema")
      .raw(R"({"type":"object","properties":{"decision":{"type":"string",)"
           R"("enum":["open","once","session","no"]}}})");
  out.key("_meta").begin_object().key("pi-mcp/approval").begin_object();
  out.member("server", called.server).member("tool", called.tool).member("name", called.name);
  out.member("origin", origin).member_raw("arguments", arguments);
  return out.end_object().end_object().end_object().take();
}

ExtensionsAnswer extensions_answer(json::Value result) {
  using enum ExtensionsAnswer;
  const json::Value decision = result.at({"content", "decision"});
  if (decision.equals("no")) {
    return no;
  }
  if (decision.equals("session")) {
    return session;
  }
  return decision.equals("once") ? once : open;
}

ApprovalAnswer approval_answer(json::Value result) {
  using enum ApprovalAnswer;
  constexpr std::array<std::pair<std::string_view, ApprovalAnswer>, 4> decisions = {{
      {"once", once},
      {"session", session},
      {"always_tool", always_tool},
      {"always_server", always_server},
  }};
  if (!result.find("action").equals("accept")) {
    return declined;
  }
  const json::Value decision = result.at({"content", "decision"});
  const auto* const found = std::ranges::find_if(
      decisions, [decision](const auto& each) { return decision.equals(each.first); });
  return found == decisions.end() ? no : found->second;
}

std::string tool_digest(const Target& target, std::string_view identity) {
  json::Writer key;
  key.begin_array().string("tool").string(identity).string(target.server).string(target.tool);
  key.string(target.resource_uri).string(target.schema.view()).string(target.annotations.view());
  return sha256_hex(key.end_array().take());
}

std::string server_digest(std::string_view server, std::string_view identity) {
  json::Writer key;
  key.begin_array().string("server").string(identity).string(server);
  return sha256_hex(key.end_array().take());
}

void Approvals::grant(std::string digest) {
  if (digests_.size() >= approvals_max) {
    digests_.clear();
  }
  digests_.insert(std::move(digest));
}

}  // namespace pi_mcp::tool
