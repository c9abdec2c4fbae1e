#include "gateway/trust_view.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "gateway/tool_text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::gateway {
namespace {

// A longer command line is cut, and says by how much.
constexpr std::size_t line_units_max = 300;
constexpr std::size_t names_shown_max = 20;
// Of a question: a dialog has to fit on a screen.
constexpr std::size_t asked_items_max = 10;

std::string shortened(std::string_view text) {
  const std::string line = text::printable(one_line(text));
  const std::size_t units = text::utf16_length(line);
  if (units <= line_units_max) {
    return line;
  }
  return text::cut(line, line_units_max) + " (" + std::to_string(units) + " characters)";
}

std::string word_of(json::Value value) {
  std::string word = value.is_string() ? value.string_or("") : std::string(value.raw());
  const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$") == std::string::npos;
  return plain ? word : json::quoted(word);
}

std::string command_line(json::Value entry) {
  std::string line = word_of(entry.find("command"));
  for (const json::Value argument : entry.find("args").elements()) {
    line += " " + word_of(argument);
  }
  return line;
}

bool is_script(std::string_view word) {
  constexpr std::array<std::string_view, 10> endings = {
      ".js", ".mjs", ".cjs", ".ts", ".py", ".sh", ".rb", ".php", ".pl", ".jar"};
  return std::ranges::any_of(endings,
                             [word](std::string_view ending) { return word.ends_with(ending); });
}

// A word that names a file of the folder: a relative path, a script, or a path inside.
bool is_of_folder(std::string_view word, std::string_view folder) {
  if (word.starts_with("./") || word.starts_with("../") || word == "." ||
      word.starts_with("file:")) {
    return true;
  }
  const bool absolute = word.starts_with('/') || word.starts_with('~') || word.starts_with('$');
  const bool inside = word.starts_with(folder) && word.substr(folder.size()).starts_with('/');
  const bool package = word.starts_with('@') || word.find("://") != std::string_view::npos;
  return inside || (!absolute && !package && is_script(word));
}

bool runs_code_of(json::Value entry, std::string_view folder) {
  const std::string command = entry.find("command").string_or("");
  if (command.empty()) {
    return false;
  }
  // A relative command with a slash is looked up in the folder; a shell can reach anything there.
  bool found = is_of_folder(command, folder) ||
               (!command.starts_with('/') && command.find('/') != std::string::npos);
  for (const json::Value argument : entry.find("args").elements()) {
    found = found || is_of_folder(argument.string_or(""), folder);
  }
  return found;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The variables that a value takes from the environment: ${NAME}, ${env:NAME}, {env:NAME},
// $env:NAME (docs/configuration.md, Values).
void add_variables(std::string_view text, std::set<std::string>& names) {
  for (const std::string_view opening : {"${env:", "{env:", "$env:", "${"}) {
    for (std::size_t at = text.find(opening); at != std::string_view::npos;
         at = text.find(opening, at + 1)) {
      const std::string_view rest = text.substr(at + opening.size());
      const auto end = std::ranges::find_if_not(rest, is_name_character);
      const std::string name(rest.begin(), end);
      if (!name.empty() && name != "env") {
        names.insert(name);
      }
    }
  }
}

// Every string below `value`: commands that print a value begin with "!".
struct Strings {
  std::set<std::string> variables;
  std::vector<std::string> commands;
};

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void collect(json::Value value, Strings& out) {
  if (value.is_string()) {
    const std::string text = value.string_or("");
    add_variables(text, out.variables);
    if (text.starts_with('!') && !text.starts_with("!!")) {
      out.commands.push_back(text.substr(1));
    }
  }
  for (const json::Member member : value.members()) {
    collect(member.value, out);
  }
  for (const json::Value element : value.elements()) {
    collect(element, out);
  }
}

std::string listed(const std::set<std::string>& names) {
  std::vector<std::string> shown(names.begin(), names.end());
  const std::size_t more = shown.size() - std::min(shown.size(), names_shown_max);
  shown.resize(shown.size() - more);
  return text::join(shown, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

void describe_server(json::Value entry, const config::TrustRequest& request, TrustItem& item) {
  const auto say = [&item](std::string_view what, std::string_view text) {
    item.lines.push_back(std::string(what) + shortened(text));
  };
  if (entry.find("command")) {
    say("runs: ", command_line(entry));
    if (runs_code_of(entry, request.folder)) {
      item.lines.emplace_back("runs code of this folder");
    }
  }
  for (const auto& [key, what] : {std::pair("url", "reaches: "),
                                  std::pair("socket", "talks to: "),
                                  std::pair("cwd", "works in: ")}) {
    if (entry.find(key)) {
      say(what, entry.find(key).string_or(""));
    }
  }
  if (entry.find("requestHeadersCommand").is_object()) {
    say("runs for each request: ", command_line(entry.find("requestHeadersCommand")));
  }
  Strings strings;
  collect(entry, strings);
  if (const std::string name = entry.find("bearerTokenEnv").string_or(""); !name.empty()) {
    strings.variables.insert(name);
  }
  for (const std::string& command : strings.commands) {
    say("runs for a value: ", command);
  }
  if (!strings.variables.empty()) {
    say("takes from your environment: ", listed(strings.variables));
  }
  std::set<std::string> given;
  for (const json::Member member : entry.find("env").members()) {
    given.insert(member.name());
  }
  if (!given.empty()) {
    say("sets for it: ", listed(given));
  }
  if (request.replaces_users) {
    item.lines.emplace_back("replaces your own server of this name");
  }
}

TrustItem item_of(const config::TrustRequest& request) {
  const bool inside = request.path.starts_with(request.folder + "/");
  TrustItem item{.server = text::printable(one_line(request.server)),
                 .file = text::printable(inside ? request.path.substr(request.folder.size() + 1)
                                                : request.path),
                 .lines = {}};
  const Result<json::Document> document = json::Document::parse_view(request.entry);
  const json::Value entry = document ? document->root() : json::Value();
  if (!request.server.empty()) {
    describe_server(entry, request, item);
    return item;
  }
  for (const json::Member member : entry.find("settings").members()) {
    item.lines.push_back("sets " + shortened(member.name() + ": " + json::compact(member.value)));
  }
  std::set<std::string> kinds;
  for (const json::Value kind : entry.find("imports").elements()) {
    kinds.insert(kind.string_or(""));
  }
  if (!kinds.empty()) {
    item.lines.push_back("imports servers of: " + shortened(listed(kinds)));
  }
  return item;
}

}  // namespace

TrustView trust_view(const std::vector<config::TrustRequest>& requests) {
  TrustView view;
  for (const config::TrustRequest& request : requests) {
    view.folder = text::printable(request.folder);
    view.items.push_back(item_of(request));
  }
  return view;
}

std::string trust_text(const TrustView& view, std::size_t items_max) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items_max, view.items.size()); ++i) {
    const TrustItem& item = view.items[i];
    text += (text.empty() ? "" : "\n") + (item.server.empty() ? "settings" : item.server) + " (" +
            item.file + ")";
    for (const std::string& line : item.lines) {
      text += "\n  " + line;
    }
  }
  if (view.items.size() > items_max) {
    text += "\nand " + std::to_string(view.items.size() - items_max) +
            " more; pi-mcp trust shows all of them";
  }
  return text;
}

std::string trust_question(const TrustView& view) {
  const std::string message = "Files of the project in " + view.folder +
                              " want to use MCP servers. They run with your rights.\n\n" +
                              trust_text(view, asked_items_max);
  json::Writer out;
  out.begin_object().member("message", message);
  out.key("requestedSchema").begin_object().member("type", "object");
  out.key("properties").begin_object().key("decision").begin_object();
  // enum with enumNames: the one form of titled choices that every revision has.
  out.member("type", "string").member("title", "Trust these files?").key("enum").begin_array();
  out.string("trust").string("once").string("no").end_array();
  out.key("enumNames").begin_array().string("Trust them, as they are now");
  out.string("Only for this session").string("No").end_array();
  out.end_object().end_object();
  out.key("required").begin_array().string("decision").end_array();
  return out.end_object().end_object().take();
}

}  // namespace pi_mcp::gateway
