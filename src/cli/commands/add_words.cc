#include "cli/commands/add_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/keys.h"
#include "config/raw.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using tool::NewServer;
using tool::NewServerFacts;
using tool::NewServerWords;

tl::unexpected<Error> wrong(const std::string& message,
                            const Command* read = &command(CommandId::add)) {
  return fail(ErrorCode::invalid_argument, message + ". " + see_help(read));
}

// "NAME=VALUE" or "NAME: VALUE", in the order given.
Result<NewServerWords::Pairs> pairs(const CommandLine& line,
                                    OptionId id,
                                    char separator,
                                    std::string_view form) {
  NewServerWords::Pairs found;
  for (const std::string& given : line.values(id)) {
    // mcporter writes headers with "=".
    const std::size_t at = separator == ':' ? given.find_first_of(":=") : given.find(separator);
    const std::string name(text::trim(given.substr(0, at)));
    if (at == std::string::npos || name.empty()) {
      // The value may be a secret, so it is not repeated.
      return wrong(std::string(form.substr(0, form.find(' '))) + " wants " +
                       std::string(form.substr(form.find(' ') + 1)),
                   line.command());
    }
    std::string value = given.substr(at + 1);
    if (separator == ':') {
      value = std::string(text::trim(value));
    }
    found.emplace_back(name, std::move(value));
  }
  return found;
}

// What the options say of a server; its name and words are not among it.
Result<NewServerWords> described(const CommandLine& line) {
  auto env = pairs(line, OptionId::env, '=', "--env NAME=VALUE");
  auto headers = pairs(line, OptionId::header, ':', "--header NAME:VALUE");
  if (!env || !headers) {
    return fail(env ? headers.error() : env.error());
  }
  const std::string transport = line.value(OptionId::transport).value_or("stdio");
  constexpr std::array<std::string_view, 4> transports = {
      "stdio", "http", "sse", "streamable-http"};
  if (std::ranges::find(transports, transport) == transports.end()) {
    return wrong("--transport wants stdio, http or sse, not \"" + transport + "\"", line.command());
  }
  return NewServerWords{.name = {},
                        .words = {},
                        .arguments = {},
                        .is_command = false,
                        .is_address = false,
                        .env = *std::move(env),
                        .headers = *std::move(headers),
                        .cwd = line.value(OptionId::server_cwd),
                        .sse = transport == "sse",
                        .description = line.value(OptionId::description)};
}

// The words that --url or --stdio with --arg mean.
Result<void> take_options(const CommandLine& line, NewServerWords& written) {
  const std::optional<std::string> command = line.value(OptionId::stdio);
  const std::optional<std::string> url = line.value(OptionId::url);
  if (command && url) {
    return fail(ErrorCode::invalid_argument,
                "--stdio \"" + *command + "\" and --url \"" + *url +
                    "\" are two servers; give one of them");
  }
  if (url) {
    written.is_command = false;
    written.is_address = true;
    written.words = {*url};
    return {};
  }
  written.is_command = true;
  written.words = {command.value_or("")};
  written.arguments = line.values(OptionId::argument);
  return {};
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

// Why the entry could never be a server.
Result<void> check_transport(const std::string& name, json::Value entry) {
  std::vector<std::string> given;
  for (const std::string_view key : {"command", "url", "socket", "args"}) {
    const json::Value value = entry.find(key);
    const config::Key* const known = config::find_key(config::KeyScope::server, key);
    if (value && !config::accepts(*known, value)) {
      const bool is_line = key == "command" && value.is_array();
      return fail(ErrorCode::invalid_argument,
                  config::unusable_text(name, key, *known, value) +
                      (is_line ? "; its first word is \"command\", the others are \"args\"" : ""));
    }
    if (value && key != "args") {
      given.emplace_back(key);
    }
  }
  return given.size() < 2 ? Result<void>()
                          : fail(ErrorCode::invalid_argument,
                                 "server \"" + name + "\" has " + text::join(given, " and ") +
                                     "; one of them has to go");
}

// Windsurf says serverUrl.
std::string with_url(json::Value entry) {
  config::RawObject fields = config::RawObject::from(entry);
  const std::optional<config::RawField> address = fields.take("serverUrl");
  if (address && !fields.find("url")) {
    fields.set("url", std::string(address->value().raw()));
  }
  return fields.text();
}

Result<std::string> entry_json(const std::string& name,
                               json::Value written,
                               const NewServerFacts& facts) {
  const json::Document own =
      config::parse_trusted(written.find("serverUrl") ? with_url(written) : json::compact(written));
  const json::Value entry = own.root();
  if (const Result<void> right = check_transport(name, entry); !right) {
    return fail(right.error());
  }
  const std::string command = entry.find("command").string_or("");
  if (command.empty() || entry.find("args") || text::words(command).size() < 2) {
    return json::compact(entry);
  }
  const Result<std::vector<std::string>> words = tool::command_words({command}, facts);
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

// Of a document: its servers by name; one that has no name there has none here either.
std::vector<std::pair<std::string, json::Value>> entries_of(json::Value root) {
  if (is_entry(root)) {
    return {{"", root}};
  }
  std::vector<std::pair<std::string, json::Value>> entries;
  for (const json::Member member : servers_in(root).members()) {
    entries.emplace_back(member.name(), member.value);
  }
  return entries;
}

Result<NewServer> server_of(const std::string& name,
                            json::Value entry,
                            const NewServerFacts& facts) {
  if (!is_entry(entry)) {
    return wrong("\"" + name + "\" in the JSON is not a server: it has no command or url");
  }
  if (name.empty()) {
    return wrong("the JSON is one server; say its name: pi-mcp add NAME JSON");
  }
  if (const Result<void> named = tool::check_server_name(name); !named) {
    return wrong(named.error().message());
  }
  Result<std::string> text = entry_json(name, entry, facts);
  if (!text) {
    return wrong(text.error().message());
  }
  return NewServer{.name = name, .entry_json = *std::move(text)};
}

// `name` empty: the document says it.
Result<std::vector<NewServer>> servers_of_json(const std::string& word,
                                               const std::string& name,
                                               const NewServerFacts& facts,
                                               const ReadFile& read) {
  const bool is_file = word == "-" || word.starts_with('@');
  const Result<std::string> text =
      is_file ? read(word == "-" ? word : word.substr(1)) : Result<std::string>(word);
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
  const auto entries = entries_of(document->root());
  if (entries.empty() || (entries.size() > 1 && !name.empty())) {
    return wrong(entries.empty() ? "the JSON has no server"
                                 : "the JSON has several servers; leave NAME out");
  }
  std::vector<NewServer> found;
  for (const auto& [own_name, entry] : entries) {
    Result<NewServer> server = server_of(name.empty() ? own_name : name, entry, facts);
    if (!server) {
      return fail(std::move(server.error()));
    }
    found.push_back(*std::move(server));
  }
  return found;
}

// "example.com/mcp": no program, and the address of somebody who forgot https://.
bool is_bare_address(const std::string& word, const NewServerFacts& facts) {
  const std::string host = word.substr(0, word.find('/'));
  const std::size_t dot = host.find('.', 1);
  return host.size() < word.size() && !host.starts_with('.') && dot != std::string::npos &&
         text::words(word).size() == 1 && !facts.is_program(word);
}

}  // namespace

Result<std::string> entry_of_options(const CommandLine& line, const NewServerFacts& facts) {
  Result<NewServerWords> written = described(line);
  if (!written) {
    return fail(std::move(written.error()));
  }
  if (const Result<void> taken = take_options(line, *written); !taken) {
    return wrong(taken.error().message(), line.command());
  }
  Result<std::string> entry = tool::entry_of(*written, facts);
  return entry ? std::move(entry) : wrong(entry.error().message(), line.command());
}

Result<std::vector<NewServer>> added_servers(const CommandLine& line,
                                             const NewServerFacts& facts,
                                             const ReadFile& read) {
  const std::string& first = line.words().front();
  if (line.words_before_dashes() == 1 && line.words().size() == 1 && is_json(first)) {
    return servers_of_json(first, "", facts, read);
  }
  const std::string name = line.words_before_dashes() == 0 ? "" : first;
  if (const Result<void> named = tool::check_server_name(name); !named) {
    return wrong(named.error().message(), line.command());
  }
  std::vector<std::string> words(line.words().begin() + 1, line.words().end());
  const bool by_options = line.has(OptionId::url) || line.has(OptionId::stdio);
  if (by_options != words.empty()) {
    return wrong(words.empty()
                     ? "add needs a URL, a command or JSON: pi-mcp add " + name + " -- COMMAND"
                     : "the server is given twice: by an option, and by \"" + words.front() + "\"",
                 line.command());
  }
  const bool before_dashes = line.words_before_dashes() > 1;
  if (before_dashes && words.size() == 1 && is_json(words.front())) {
    return servers_of_json(words.front(), name, facts, read);
  }
  Result<NewServerWords> written = described(line);
  if (!written) {
    return fail(std::move(written.error()));
  }
  written->name = name;
  written->words = std::move(words);
  written->is_command = !before_dashes;
  written->is_address =
      before_dashes && written->words.size() == 1 && is_bare_address(written->words.front(), facts);
  if (const Result<void> taken = by_options ? take_options(line, *written) : Result<void>();
      !taken) {
    return wrong(taken.error().message(), line.command());
  }
  Result<NewServer> server = tool::new_server(*written, facts);
  if (!server) {
    return wrong(server.error().message(), line.command());
  }
  return std::vector<NewServer>{*std::move(server)};
}

}  // namespace pi_mcp::cli
