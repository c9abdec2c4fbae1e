#include "cli/commands/new_server.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "http/url.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

constexpr std::size_t name_bytes_max = 64;

tl::unexpected<Error> wrong(const std::string& message) {
  return fail(ErrorCode::invalid_argument, message + ". " + see_help(&command(CommandId::add)));
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max && ascii::is_alphanumeric(name.front()) &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "-_."); });
}

std::string name_rule(const std::string& name) {
  return "\"" + name +
         "\" cannot be the name of a server: letters, digits, - _ and . are allowed, at most 64";
}

// "NAME=VALUE" or "NAME: VALUE", in the order given.
Result<std::vector<std::pair<std::string, std::string>>> pairs(const CommandLine& line,
                                                               OptionId id,
                                                               char separator,
                                                               std::string_view form) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& given : line.values(id)) {
    // mcporter writes headers with "=".
    const std::size_t at = separator == ':' ? given.find_first_of(":=") : given.find(separator);
    const std::string name(text::trim(given.substr(0, at)));
    if (at == std::string::npos || name.empty()) {
      // The value may be a secret, so it is not repeated.
      return wrong(std::string(form.substr(0, form.find(' '))) + " wants " +
                   std::string(form.substr(form.find(' ') + 1)));
    }
    std::string value = given.substr(at + 1);
    if (separator == ':') {
      value = std::string(text::trim(value));
    }
    found.emplace_back(name, std::move(value));
  }
  return found;
}

void write_pairs(json::Writer& out,
                 std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  if (pairs.empty()) {
    return;
  }
  out.key(key).begin_object();
  for (const auto& [name, value] : pairs) {
    out.member(name, value);
  }
  out.end_object();
}

void write_description(json::Writer& out, const CommandLine& line) {
  if (const std::optional<std::string> text = line.value(OptionId::description)) {
    out.member("description", *text);
  }
}

Result<std::string> url_entry(const CommandLine& line, const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return wrong("a URL starts with https:// or http://, unlike \"" + url + "\"");
  }
  // A variable may stand for any part of it.
  if (const Result<http::Url> parsed = http::parse_url(url); !parsed && url.find('$') == url.npos) {
    return wrong(parsed.error().message());
  }
  if (line.has(OptionId::env) || line.has(OptionId::server_cwd)) {
    return wrong("--env and --cwd are for servers with a command, not with a URL");
  }
  const auto headers = pairs(line, OptionId::header, ':', "--header NAME:VALUE");
  if (!headers) {
    return fail(headers.error());
  }
  json::Writer out;
  out.begin_object().member("url", url);
  if (line.value(OptionId::transport) == "sse") {
    out.member("type", "sse");
  }
  write_pairs(out, "headers", *headers);
  write_description(out, line);
  return out.end_object().take();
}

Result<std::string> command_entry(const CommandLine& line, const std::vector<std::string>& words) {
  if (line.has(OptionId::header)) {
    return wrong("--header is for servers with a URL, not with a command");
  }
  if (words.front().empty()) {
    return wrong("the command is empty");
  }
  const auto env = pairs(line, OptionId::env, '=', "--env NAME=VALUE");
  if (!env) {
    return fail(env.error());
  }
  json::Writer out;
  out.begin_object().member("command", words.front());
  if (words.size() > 1) {
    out.key("args").begin_array();
    std::for_each(
        words.begin() + 1, words.end(), [&out](const std::string& word) { out.string(word); });
    out.end_array();
  }
  write_pairs(out, "env", *env);
  if (const std::optional<std::string> folder = line.value(OptionId::server_cwd)) {
    out.member("cwd", *folder);
  }
  write_description(out, line);
  return out.end_object().take();
}

// "127.0.0.1:8080/mcp": somebody forgot http://.
bool lacks_scheme(std::string_view word) {
  const std::string_view authority = word.substr(0, word.find('/'));
  const std::size_t colon = authority.find(':');
  const std::string_view port =
      colon == authority.npos ? std::string_view() : authority.substr(colon + 1);
  return colon != 0 && !port.empty() && std::ranges::all_of(port, ascii::is_digit);
}

bool is_relative(std::string_view word) {
  return word == "." || word == ".." || word.starts_with("./") || word.starts_with("../");
}

// The words of a command, each its own.
Result<std::vector<std::string>> divided(std::vector<std::string> words,
                                         const NewServerFacts& facts) {
  if (words.size() == 1 && text::words(words.front()).size() > 1 &&
      !facts.is_program(words.front())) {
    const std::optional<std::vector<std::string>> parts = text::plain_words(words.front());
    if (!parts) {
      return wrong(
          "the command is one word with spaces, and no program is called like that; write "
          "its words apart: -- PROGRAM ARGUMENT...");
    }
    words = *parts;
  }
  if (words.size() == 1 && lacks_scheme(words.front()) && !facts.is_program(words.front())) {
    return wrong("\"" + words.front() + "\" is an address without its scheme; write http://" +
                 words.front());
  }
  if (!facts.folder.empty()) {
    for (std::string& word : words) {
      if (is_relative(word)) {
        const std::string_view below =
            std::string_view(word).substr(word.starts_with("./") ? 2 : 0);
        word = word == "." ? facts.folder : facts.folder + "/" + std::string(below);
      }
    }
  }
  return words;
}

// ---- JSON

bool is_json(std::string_view word) {
  return text::trim(word).starts_with('{') || word == "-" || (word.size() > 1 && word[0] == '@');
}

bool is_entry(json::Value value) {
  return value.find("command") || value.find("url") || value.find("serverUrl") ||
         value.find("socket");
}

// The object of servers in a document, whichever host wrote it.
json::Value servers_in(json::Value root) {
  for (const char* key : {"mcpServers", "mcp-servers", "servers", "context_servers"}) {
    if (const json::Value found = root.find(key); found.is_object()) {
      return found;
    }
  }
  return root;
}

Result<std::string> entry_json(json::Value entry, const NewServerFacts& facts) {
  const std::string command = entry.find("command").string_or("");
  if (command.empty() || entry.find("args") || text::words(command).size() < 2) {
    return json::compact(entry);
  }
  const Result<std::vector<std::string>> words = divided({command}, facts);
  if (!words) {
    return fail(words.error());
  }
  json::Writer out;
  out.begin_object().member("command", words->front()).key("args").begin_array();
  std::for_each(words->begin() + 1, words->end(), [&out](const auto& word) { out.string(word); });
  out.end_array();
  for (const json::Member member : entry.members()) {
    if (member.name() != "command") {
      out.member_raw(member.name(), json::compact(member.value));
    }
  }
  return out.end_object().take();
}

// `name` empty: the document says it.
Result<std::vector<NewServer>> servers_of_json(const std::string& word,
                                               const std::string& name,
                                               const NewServerFacts& facts) {
  const bool is_file = word == "-" || word.starts_with('@');
  const Result<std::string> text =
      is_file ? facts.read(word == "-" ? word : word.substr(1)) : Result<std::string>(word);
  if (!text) {
    return fail(text.error());
  }
  const Result<json::Document> document =
      json::Document::parse(*text, {.syntax = json::Syntax::jsonc});
  if (!document || !document->root().is_object()) {
    return wrong("the JSON of a server " + (document
                                                ? std::string("must be an object")
                                                : "cannot be read: " + document.error().message()));
  }
  const json::Value root = document->root();
  const json::Value servers = is_entry(root) ? json::Value() : servers_in(root);
  std::vector<std::pair<std::string, json::Value>> entries;
  if (!servers) {
    entries.emplace_back(name, root);
  }
  for (const json::Member member : servers.members()) {
    entries.emplace_back(member.name(), member.value);
  }
  if (entries.size() == 1 && !name.empty()) {
    entries.front().first = name;
  }
  if (entries.empty() || (entries.size() > 1 && !name.empty())) {
    return wrong(entries.empty() ? "the JSON has no server"
                                 : "the JSON has several servers; leave NAME out");
  }
  std::vector<NewServer> found;
  for (const auto& [entry_name, value] : entries) {
    if (!is_entry(value)) {
      return wrong("\"" + entry_name + "\" in the JSON is not a server: it has no command or url");
    }
    if (!is_name(entry_name)) {
      return entry_name.empty()
                 ? wrong("the JSON is one server; say its name: pi-mcp add NAME JSON")
                 : wrong(name_rule(entry_name));
    }
    Result<std::string> entry = entry_json(value, facts);
    if (!entry) {
      return fail(entry.error());
    }
    found.push_back({.name = entry_name, .entry_json = *std::move(entry)});
  }
  return found;
}

}  // namespace

bool is_url(std::string_view word) {
  return word.find("://") != std::string_view::npos;
}

Result<std::string> entry_of_options(const CommandLine& line, const NewServerFacts& facts) {
  if (const std::optional<std::string> url = line.value(OptionId::url)) {
    return url_entry(line, *url);
  }
  Result<std::vector<std::string>> words =
      divided({line.value(OptionId::stdio).value_or("")}, facts);
  if (!words) {
    return fail(words.error());
  }
  const std::vector<std::string> more = line.values(OptionId::argument);
  words->insert(words->end(), more.begin(), more.end());
  return command_entry(line, *words);
}

Result<std::vector<NewServer>> new_servers(const CommandLine& line, const NewServerFacts& facts) {
  const std::string& name = line.words().front();
  if (line.words_before_dashes() == 1 && line.words().size() == 1 && is_json(name)) {
    return servers_of_json(name, "", facts);
  }
  if (line.words_before_dashes() == 0 || !is_name(name)) {
    return wrong(name_rule(line.words_before_dashes() == 0 ? "" : name));
  }
  std::vector<std::string> words(line.words().begin() + 1, line.words().end());
  const bool by_options = line.has(OptionId::url) || line.has(OptionId::stdio);
  if (by_options != words.empty()) {
    return wrong(words.empty()
                     ? "add needs a URL, a command or JSON: pi-mcp add " + name + " -- COMMAND"
                     : "the server is given twice: by an option, and by \"" + words.front() + "\"");
  }
  const bool before_dashes = line.words_before_dashes() > 1;
  if (before_dashes && words.size() == 1 && is_json(words.front())) {
    return servers_of_json(words.front(), name, facts);
  }
  const bool url = !by_options && before_dashes && is_url(words.front());
  if (url && words.size() > 1) {
    return wrong("a URL takes no arguments, but \"" + words[1] + "\" follows it");
  }
  Result<std::vector<std::string>> command =
      by_options || url ? Result<std::vector<std::string>>(words) : divided(words, facts);
  if (!command) {
    return fail(command.error());
  }
  Result<std::string> entry = by_options ? entry_of_options(line, facts)
                              : url      ? url_entry(line, words.front())
                                         : command_entry(line, *command);
  if (!entry) {
    return fail(entry.error());
  }
  return std::vector<NewServer>{{.name = name, .entry_json = *std::move(entry)}};
}

}  // namespace pi_mcp::cli
