#include "gateway/approvals.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "gateway/tool_text.h"
#include "json/writer.h"

namespace pi_mcp::gateway {
namespace {

// Longer ones are shown one by one, each cut, so that no short one hides behind a long one.
constexpr std::size_t arguments_units_max = 500;
constexpr std::size_t argument_units_max = 200;
constexpr std::size_t shown_arguments_max = 20;

bool may_destroy(const Target& target) {
  if (target.is_resource()) {
    return false;
  }
  const Result<json::Document> document = json::Document::parse(target.annotations);
  const json::Value annotations = document ? document->root() : json::Value();
  return !annotations.find("readOnlyHint").bool_or(false) &&
         annotations.find("destructiveHint").bool_or(true);
}

std::string digest_of(const Target& target, std::string_view arguments) {
  json::Writer key;
  key.begin_array().string(target.server).string(target.tool).string(target.resource_uri);
  key.string(target.schema.view()).string(arguments);
  return sha256_hex(key.end_array().take());
}

std::string one_argument(const json::Member& member) {
  const std::string value = json::compact(member.value);
  const std::size_t units = text::utf16_length(value);
  std::string line = "\n" + json::quoted(member.name()) + ": ";
  if (units <= argument_units_max) {
    return line + value;
  }
  const std::string shown = text::cut(value, argument_units_max);
  const std::size_t hidden = units - (text::utf16_length(shown) - 3);  // without "..."
  return line + shown + " (" + std::to_string(hidden) + " more characters)";
}

// Lines for the eyes of the user, all of it or with what is hidden counted.
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

bool needs_approval(const config::Selection& selection, const Target& target) {
  return selection.all ||
         std::any_of(
             selection.names.begin(), selection.names.end(), [&target](const std::string& name) {
               return text::glob_match(name, target.tool) || text::glob_match(name, target.name) ||
                      (name == "destructive" && may_destroy(target));
             });
}

std::string approval_question(const Target& target, std::string_view arguments) {
  std::string message = target.server + " wants to run " + one_line(target.tool);
  message += arguments.size() > 2 ? arguments_text(arguments) : "";
  // enum with enumNames: the one form of titled choices that every revision has.
  json::Writer out;
  out.begin_object().member("message", text::printable(message));
  out.key("requestedSchema").begin_object().member("type", "object");
  out.key("properties").begin_object().key("decision").begin_object();
  out.member("type", "string").member("title", "Decision").key("enum").begin_array();
  out.string("once").string("session").string("server").string("deny").end_array();
  out.key("enumNames").begin_array().string("Allow once").string("Allow this call for the session");
  out.string("Allow every tool of " + target.server + " for the session").string("Deny");
  out.end_array().end_object().end_object();
  out.key("required").begin_array().string("decision").end_array();
  return out.end_object().end_object().take();
}

Approvals::Answer Approvals::answer_of(json::Value result) {
  const json::Value decision = result.at({"content", "decision"});
  if (!result.find("action").equals("accept")) {
    return Answer::denied;
  }
  if (decision.equals("once")) {
    return Answer::once;
  }
  if (decision.equals("session")) {
    return Answer::session;
  }
  return decision.equals("server") ? Answer::server : Answer::denied;
}

bool Approvals::has(const Target& target, std::string_view arguments) const {
  return servers_.contains(target.server) || calls_.contains(digest_of(target, arguments));
}

void Approvals::grant(Answer answer, const Target& target, std::string_view arguments) {
  if (calls_.size() >= approvals_max) {
    calls_.clear();
  }
  if (answer == Answer::server) {
    servers_.insert(target.server);
  } else if (answer == Answer::session) {
    calls_.insert(digest_of(target, arguments));
  }
}

}  // namespace pi_mcp::gateway
