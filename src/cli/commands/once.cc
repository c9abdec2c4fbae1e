#include "cli/commands/once.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands/add_words.h"
#include "cli/show/style.h"
#include "http/url.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// Words of a package that say nothing.
bool says_nothing(std::string_view word) {
  constexpr std::array<std::string_view, 4> empty = {"mcp", "server", "io", "modelcontextprotocol"};
  return std::ranges::find(empty, word) != empty.end() ||
         std::ranges::all_of(word, ascii::is_digit);
}

// The first word of letters and digits that says something.
std::string telling_word(std::string_view text) {
  std::string word;
  for (const char c : std::string(text) + "/") {
    if (ascii::is_alphanumeric_or(c, "_")) {
      word += c;
    } else if (!says_nothing(word)) {
      return word;
    } else {
      word.clear();
    }
  }
  return "server";
}

bool may_be_url(CommandId id) {
  return id == CommandId::list || id == CommandId::connect || id == CommandId::describe ||
         id == CommandId::call || id == CommandId::emit_cli;
}

// Whose words are servers.
bool takes_only_server(CommandId id) {
  return id == CommandId::list || id == CommandId::resources || id == CommandId::prompts ||
         id == CommandId::emit_cli;
}

// An option brings a server, and a word names one, or is what follows the program.
tl::unexpected<Error> two_servers(const CommandLine& line) {
  const std::optional<std::string> command = line.value(OptionId::stdio);
  std::string message = std::string(line.command()->name) + " takes one server, of " +
                        (command ? "--stdio" : "--url") + " or " + quoted(line.words().front());
  if (command) {
    std::string whole = *command;
    for (const std::string& word : line.words()) {
      whole += " " + text::shell_word(word);
    }
    message += "; a command and its arguments are one value: --stdio " + text::shell_word(whole);
  }
  return fail(ErrorCode::invalid_argument, message + ". " + see_help(line.command()));
}

// "https://host/mcp.tool": the tool behind the last dot of the last part of the path.
std::size_t tool_in_url(const std::string& url) {
  const std::size_t start = url.find("://") + 3;
  const std::size_t brackets = std::min(url.find('('), url.size());
  const std::size_t slash = url.rfind('/', brackets);
  const std::size_t dot = slash == url.npos || slash < start ? url.npos : url.find('.', slash);
  return dot < brackets ? dot : url.npos;
}

}  // namespace

std::string name_of_entry(const std::string& entry_json) {
  const Result<json::Document> document = json::Document::parse_view(entry_json);
  const json::Value entry = document ? document->root() : json::Value();
  if (const Result<http::Url> url = http::parse_url(entry.find("url").string_or(""))) {
    return tool::name_of_host(url->host);
  }
  const std::string command = entry.find("command").string_or("");
  const std::string program = command.substr(command.rfind('/') + 1);
  constexpr std::array<std::string_view, 9> launchers = {
      "npx", "uvx", "bunx", "pnpm", "yarn", "uv", "node", "docker", "python3"};
  if (std::ranges::find(launchers, program) == launchers.end()) {
    return telling_word(program);
  }
  for (const json::Value argument : entry.find("args").elements()) {
    const std::string word = argument.string_or("");
    if (!word.starts_with('-') && word != "dlx" && word != "run" && word != "exec") {
      const bool is_path = word.starts_with('/') || word.starts_with('.');
      return telling_word(is_path ? word.substr(word.rfind('/') + 1) : word);
    }
  }
  return telling_word(program);
}

Result<std::optional<OnceServer>> once_server(const CommandLine& line,
                                              const tool::NewServerFacts& facts) {
  OnceServer once{.name = {}, .entry_json = {}, .line = line};
  std::vector<std::string> words = line.words();
  const bool by_option = line.has(OptionId::stdio) || line.has(OptionId::url);
  const bool is_argument = line.command()->id == CommandId::call && line.has(OptionId::tool);
  if (by_option && takes_only_server(line.command()->id) && !words.empty()) {
    return two_servers(line);
  }
  if (!by_option && may_be_url(line.command()->id) && !is_argument && !words.empty() &&
      tool::is_url(words.front())) {
    const std::string word = words.front();
    words.erase(words.begin());
    const bool names_tool =
        line.command()->id == CommandId::call || line.command()->id == CommandId::describe;
    const std::size_t dot = names_tool ? tool_in_url(word) : std::string::npos;
    if (dot != std::string::npos) {
      words.insert(words.begin(), word.substr(dot + 1));
    }
    if (names_tool && words.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "a tool is missing: pi-mcp call URL TOOL, or " + word + ".TOOL");
    }
    once.line.set_option(OptionId::url, word.substr(0, dot));
    once.line.set_words(words);
  } else if (!by_option) {
    if (line.has(OptionId::save)) {
      return fail(ErrorCode::invalid_argument,
                  "--save keeps a server that --stdio or --url name. " + see_help(line.command()));
    }
    return std::nullopt;
  }
  Result<std::string> entry = entry_of_options(once.line, facts);
  if (!entry) {
    return fail(entry.error());
  }
  once.entry_json = *std::move(entry);
  once.name = line.value(OptionId::save).value_or(name_of_entry(once.entry_json));
  return once;
}

Result<std::string> use_once(Setup& setup, const tool::NewServerFacts& facts) {
  Result<std::optional<OnceServer>> once = once_server(setup.line, facts);
  if (!once || !*once) {
    return once ? Result<std::string>("") : fail(once.error());
  }
  OnceServer& server = **once;
  if (load_settings(setup).find(server.name) != nullptr) {
    server.name += "-once";
  }
  json::Writer registered;
  registered.begin_object().member_raw(server.name, server.entry_json).end_object();
  setup.load_options.registered = registered.take();
  setup.load_options.servers = {server.name};
  const CommandId id = server.line.command()->id;
  if (id == CommandId::connect || id == CommandId::emit_cli) {
    server.line.set_words({server.name});
  }
  setup.line = std::move(server.line);
  return std::move(server.entry_json);
}

}  // namespace pi_mcp::cli
