#include "cli/commands/new_server.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/shell_word.h"
#include "base/text.h"
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

bool is_url(std::string_view word) {
  return word.find("://") != std::string_view::npos;
}

// "NAME=VALUE" or "NAME: VALUE", in the order given.
Result<std::vector<std::pair<std::string, std::string>>> pairs(const CommandLine& line,
                                                               OptionId id,
                                                               char separator,
                                                               std::string_view form) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& given : line.values(id)) {
    const std::size_t at = given.find(separator);
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

Result<std::string> url_entry(const CommandLine& line, const std::string& url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return wrong("a URL starts with https:// or http://, unlike \"" + url + "\"");
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
  write_pairs(out, "headers", *headers);
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
  return out.end_object().take();
}

}  // namespace

Result<NewServer> new_server(const CommandLine& line,
                             const std::function<bool(const std::string& word)>& is_program) {
  const std::string& name = line.words().front();
  if (line.words_before_dashes() == 0 || !is_name(name)) {
    return wrong("\"" + (line.words_before_dashes() == 0 ? "" : name) +
                 "\" cannot be the name of a server: letters, digits, - _ and . are allowed, "
                 "at most 64");
  }
  std::vector<std::string> words(line.words().begin() + 1, line.words().end());
  if (words.empty()) {
    return wrong("add needs a URL or a command: pi-mcp add " + name + " -- COMMAND");
  }
  if (words.size() == 1 && text::words(words.front()).size() > 1 && !is_program(words.front())) {
    const std::optional<std::vector<std::string>> divided = text::plain_words(words.front());
    if (!divided) {
      return wrong(
          "the command is one word with spaces, and no program is called like that; write "
          "its words apart: pi-mcp add " +
          name + " -- PROGRAM ARGUMENT...");
    }
    words = *divided;
  }
  const bool url = line.words_before_dashes() > 1 && is_url(words.front());
  if (url && words.size() > 1) {
    return wrong("a URL takes no arguments, but \"" + words[1] + "\" follows it");
  }
  Result<std::string> entry = url ? url_entry(line, words.front()) : command_entry(line, words);
  if (!entry) {
    return fail(entry.error());
  }
  return NewServer{.name = name, .entry_json = *std::move(entry)};
}

}  // namespace pi_mcp::cli
