#include "tool/consent/trust_view.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/variable_reference.h"
#include "json/document.h"
#include "json/writer.h"
#include "tool/consent/code_variables.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

// Of a longer command line both ends are shown: what matters may stand last.
constexpr std::size_t line_units_max = 300;
constexpr std::size_t names_shown_max = 20;
constexpr std::size_t value_units_max = 120;  // of a variable that is set

std::string shortened(std::string_view text) {
  return both_ends(text::printable(one_line(text)), line_units_max);
}

std::string word_of(json::Value value) {
  std::string word = value.is_string() ? value.string_or("") : std::string(value.raw());
  const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$") == std::string::npos;
  return plain ? word : json::quoted(word);
}

// A program and its arguments; OpenCode writes them as one list.
std::vector<json::Value> words_of(json::Value entry) {
  std::vector<json::Value> words;
  const json::Value command = entry.find("command");
  if (!command.is_array()) {
    words.push_back(command);
  }
  for (const json::Value list : {command, entry.find("args")}) {
    for (const json::Value element : list.elements()) {
      words.push_back(element);
    }
  }
  return words;
}

std::string command_line(json::Value entry) {
  std::vector<std::string> words;
  for (const json::Value word : words_of(entry)) {
    words.push_back(word_of(word));
  }
  return text::join(words, " ");
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
  const std::vector<json::Value> words = words_of(entry);
  // A relative command with a slash is looked up in the folder; a shell can reach anything there.
  const std::string command = words.empty() ? "" : words.front().string_or("");
  if (!command.empty() && !command.starts_with('/') && command.find('/') != std::string::npos) {
    return true;
  }
  return std::ranges::any_of(
      words, [folder](json::Value word) { return is_of_folder(word.string_or(""), folder); });
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// What follows each `opening` in the text.
std::vector<std::string_view> all_after(std::string_view text, std::string_view opening) {
  std::vector<std::string_view> found;
  for (std::size_t at = text.find(opening); at != std::string_view::npos;
       at = text.find(opening, at + 1)) {
    found.push_back(text.substr(at + opening.size()));
  }
  return found;
}

// The variables that a value takes from the environment: ${NAME}, ${env:NAME}, {env:NAME},
// $env:NAME (docs/configuration.md, Values); and what VS Code asks for, ${input:ID}.
void add_variables(std::string_view text, std::set<std::string>& names) {
  constexpr std::array<std::string_view, 4> kinds = {"env:", "input:", "file:", "keyring:"};
  for (const std::string_view opening : {"${env:", "{env:", "$env:", "${", "${input:"}) {
    for (const std::string_view rest : all_after(text, opening)) {
      const std::string name(rest.begin(), std::ranges::find_if_not(rest, is_name_character));
      const bool is_kind = opening == "${" && std::ranges::any_of(kinds, [rest](auto kind) {
                             return rest.starts_with(kind);
                           });
      if (!name.empty() && !is_kind) {
        names.insert(name);
      }
    }
  }
}

// What stands between `opening` and the brace: stored secrets, or the files whose content a value
// takes ({file:PATH}, ${file:PATH}).
void add_braced(std::string_view text, std::string_view opening, std::set<std::string>& found) {
  for (const std::string_view rest : all_after(text, opening)) {
    found.emplace(rest.substr(0, rest.find('}')));
  }
}

// Every string below `value`: commands that print a value begin with "!".
struct Strings {
  std::set<std::string> variables;
  std::set<std::string> secrets;
  std::set<std::string> files;
  std::vector<std::string> commands;
};

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void collect(json::Value value, Strings& out) {
  if (value.is_string()) {
    const std::string text = value.string_or("");
    add_variables(text, out.variables);
    add_braced(text, "{file:", out.files);
    add_braced(text, secret_opening, out.secrets);
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

std::string listed(std::vector<std::string> shown) {
  const std::size_t more = shown.size() - std::min(shown.size(), names_shown_max);
  shown.resize(shown.size() - more);
  return text::join(shown, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

std::string listed(const std::set<std::string>& names) {
  return listed(std::vector<std::string>(names.begin(), names.end()));
}

// What the entry reads, also by keys that name a variable or a file; some keys are Codex'.
Strings strings_of(json::Value entry) {
  Strings strings;
  collect(entry, strings);
  for (const std::string_view key : {"bearerTokenEnv", "bearer_token_env_var"}) {
    strings.variables.insert(entry.find(key).string_or(""));
  }
  for (const json::Member header : entry.find("env_http_headers").members()) {
    strings.variables.insert(header.value.string_or(""));
  }
  strings.variables.erase("");
  strings.files.insert(entry.find("envFile").string_or(""));
  strings.files.erase("");
  return strings;
}

// What the entry sets for its server, as it is written: the values are the project's own.
std::map<std::string, json::Value> variables_of(json::Value entry) {
  std::map<std::string, json::Value> variables;
  for (const std::string_view key : {"env", "environment"}) {
    for (const json::Member member : entry.find(key).members()) {
      variables.insert_or_assign(member.name(), member.value);
    }
  }
  return variables;
}

// A variable that decides what code runs has a list of places or options of a program as its value.
// In a list of places an empty one is the folder that a program runs in.
bool names_code_of(std::string_view folder, std::string_view variable, std::string_view value) {
  const bool is_list = variable.ends_with("PATH") || variable.ends_with("LIB") ||
                       variable.starts_with("LD_") || variable.starts_with("DYLD_");
  std::string words(value);
  std::ranges::replace_if(
      words, [](char c) { return c == ':' || c == ',' || c == '=' || c == ';' || c == '"'; }, ' ');
  for (const std::string_view word : text::split(words, ' ')) {
    const bool is_relative =
        word.empty() || (word.front() != '/' && word.front() != '~' && word.front() != '$');
    if (is_of_folder(word, folder) || (is_list && is_relative)) {
      return true;
    }
  }
  return false;
}

bool variables_name_code_of(json::Value entry, std::string_view folder) {
  return std::ranges::any_of(variables_of(entry), [folder](const auto& variable) {
    const auto& [name, value] = variable;
    return !decided_by(name).empty() && names_code_of(folder, name, value.string_or(""));
  });
}

std::string assignment(const std::string& name, json::Value value) {
  const std::string word = text::printable(one_line(word_of(value)));
  return both_ends(text::printable(one_line(name)), value_units_max) + "=" +
         both_ends(word, value_units_max);
}

// Those that decide what code runs stand first, each in a line of its own, and are never left out.
void describe_variables(json::Value entry, TrustItem& item) {
  const std::map<std::string, json::Value> variables = variables_of(entry);
  std::vector<std::string> others;
  for (const auto& [name, value] : variables) {
    const std::string_view decided = decided_by(name);
    if (decided.empty()) {
      others.push_back(assignment(name, value));
    } else {
      item.lines.push_back("sets for it: " + assignment(name, value) + ", which decides " +
                           std::string(decided));
    }
  }
  if (!others.empty()) {
    item.lines.push_back("sets for it: " + listed(std::move(others)));
  }
}

void describe_server(json::Value entry, const config::TrustRequest& request, TrustItem& item) {
  const auto say = [&item](std::string_view what, std::string_view text) {
    item.lines.push_back(std::string(what) + shortened(text));
  };
  if (entry.find("command")) {
    say("runs: ", command_line(entry));
    if (runs_code_of(entry, request.folder) || variables_name_code_of(entry, request.folder)) {
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
  if (const std::string place = entry.at({"oauth", "authServerMetadataUrl"}).string_or("");
      !place.empty()) {
    say("logs in as told by: ", place);
  }
  const Strings strings = strings_of(entry);
  for (const std::string& command : strings.commands) {
    say("runs for a value: ", command);
  }
  if (!strings.variables.empty()) {
    say("reads from your environment: ", listed(strings.variables));
  }
  if (!strings.secrets.empty()) {
    say("gets your stored secrets: ", listed(strings.secrets));
  }
  for (const std::string& file : strings.files) {
    say("reads the file: ", file);
  }
  describe_variables(entry, item);
  if (request.replaces_users) {
    item.lines.emplace_back("replaces your own server of this name");
  }
}

TrustItem item_of(const config::TrustRequest& request) {
  const bool inside = request.path.starts_with(request.folder + "/");
  TrustItem item{
      .server = shortened(request.server),
      .file = one_line(inside ? request.path.substr(request.folder.size() + 1) : request.path),
      .lines = {}};
  if (request.changed) {
    item.lines.emplace_back("has changed since it was trusted");
  }
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
    view.folder = one_line(request.folder);
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
            " more; in a terminal, pi-mcp trust shows all of them";
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

}  // namespace pi_mcp::tool
