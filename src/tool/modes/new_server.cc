#include "tool/modes/new_server.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "http/url.h"
#include "json/writer.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t name_bytes_max = 64;

tl::unexpected<Error> wrong_words(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max && ascii::is_alphanumeric(name.front()) &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "-_."); });
}

void write_pairs(json::Writer& out, std::string_view key, const NewServerWords::Pairs& pairs) {
  if (pairs.empty()) {
    return;
  }
  out.key(key).begin_object();
  for (const auto& [name, value] : pairs) {
    out.member(name, value);
  }
  out.end_object();
}

void write_description(json::Writer& out, const NewServerWords& written) {
  if (written.description) {
    out.member("description", *written.description);
  }
}

// "127.0.0.1:8080/mcp": somebody forgot http://.
bool lacks_scheme(std::string_view word) {
  const std::string_view authority = word.substr(0, word.find('/'));
  const std::size_t colon = authority.find(':');
  const std::string_view port =
      colon == authority.npos ? std::string_view() : authority.substr(colon + 1);
  return colon != 0 && !port.empty() && std::ranges::all_of(port, ascii::is_digit);
}

// The address that somebody meant who forgot its scheme ("foo.com/mcp"); empty for other words.
std::string with_scheme(const std::string& word) {
  const std::string authority = word.substr(0, word.find_first_of("/?"));
  const std::string host = authority.substr(0, authority.find(':'));
  const bool is_host = authority == host ? host.find('.') != host.npos || host == "localhost"
                                         : lacks_scheme(authority);
  const bool is_plain =
      ascii::is_alphanumeric(word.empty() ? ' ' : word.front()) &&
      std::ranges::all_of(host, [](char c) { return ascii::is_alphanumeric_or(c, "-."); });
  const std::string url = (http::is_loopback_host(host) ? "http://" : "https://") + word;
  return is_host && is_plain && http::parse_url(url) ? url : "";
}

Result<std::string> url_entry(const NewServerWords& written) {
  const std::string& url = written.words.front();
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    const std::string meant = with_scheme(url);
    return wrong_words("a URL starts with https:// or http://, unlike \"" + url + "\"" +
                       (meant.empty() ? "" : "; write " + meant));
  }
  if (written.words.size() > 1) {
    return wrong_words("a URL takes no arguments, but \"" + written.words[1] + "\" follows it");
  }
  // A variable may stand for any part of it.
  if (const Result<http::Url> parsed = http::parse_url(url);
      !parsed && url.find('$') == std::string::npos) {
    return wrong_words(parsed.error().message());
  }
  if (!written.env.empty() || written.cwd) {
    return wrong_words("--env and --cwd are for servers with a command, not with a URL");
  }
  json::Writer out;
  out.begin_object().member("url", url);
  if (written.sse) {
    out.member("type", "sse");
  }
  write_pairs(out, "headers", written.headers);
  write_description(out, written);
  return out.end_object().take();
}

Result<std::string> command_entry(const NewServerWords& written,
                                  const std::vector<std::string>& words) {
  if (!written.headers.empty()) {
    return wrong_words("--header is for servers with a URL, not with a command");
  }
  if (words.front().empty()) {
    return wrong_words("the command is empty");
  }
  json::Writer out;
  out.begin_object().member("command", words.front());
  if (words.size() > 1) {
    out.key("args").begin_array();
    std::for_each(
        words.begin() + 1, words.end(), [&out](const std::string& word) { out.string(word); });
    out.end_array();
  }
  write_pairs(out, "env", written.env);
  if (written.cwd) {
    out.member("cwd", *written.cwd);
  }
  write_description(out, written);
  return out.end_object().take();
}

// ".", "..", "./x" and "../x"; other words stay.
void make_absolute(std::string& word, const std::string& folder) {
  if (word == ".") {
    word = folder;
  } else if (word.starts_with("./")) {
    word.replace(0, 1, folder);
  } else if (word == ".." || word.starts_with("../")) {
    word.insert(0, folder + "/");
  }
}

void make_absolute(std::vector<std::string>& words, const NewServerFacts& facts) {
  for (std::string& word : words) {
    if (!facts.folder.empty()) {
      make_absolute(word, facts.folder);
    }
  }
}

}  // namespace

bool is_url(std::string_view word) {
  return word.find("://") != std::string_view::npos;
}

Result<void> check_server_name(std::string_view name) {
  if (is_server_name(name)) {
    return {};
  }
  return wrong_words("\"" + std::string(name) +
                     "\" cannot be the name of a server: letters, digits, - _ and . are allowed, "
                     "at most 64");
}

Result<std::vector<std::string>> command_words(std::vector<std::string> words,
                                               const NewServerFacts& facts) {
  const bool is_line =
      words.size() == 1 && words.front().find_first_of(" \t\n\r'\"\\") != std::string::npos;
  if (is_line && !facts.is_program(words.front())) {
    Result<std::vector<std::string>> parts = text::shell_words(words.front());
    if (!parts || parts->empty()) {
      return parts ? wrong_words("the command is empty") : std::move(parts);
    }
    words = *std::move(parts);
  }
  if (words.size() == 1 && lacks_scheme(words.front()) && !facts.is_program(words.front())) {
    return wrong_words("\"" + words.front() + "\" is an address without its scheme; write http://" +
                       words.front());
  }
  make_absolute(words, facts);
  return words;
}

Result<std::string> entry_of(const NewServerWords& written, const NewServerFacts& facts) {
  if (written.words.empty()) {
    return wrong_words("a URL or a command is missing");
  }
  if (written.is_address || (!written.is_command && is_url(written.words.front()))) {
    return url_entry(written);
  }
  Result<std::vector<std::string>> words = command_words(written.words, facts);
  if (!words) {
    return fail(words.error());
  }
  std::vector<std::string> more = written.arguments;
  make_absolute(more, facts);
  words->insert(words->end(), more.begin(), more.end());
  return command_entry(written, *words);
}

Result<NewServer> new_server(const NewServerWords& written, const NewServerFacts& facts) {
  if (const Result<void> named = check_server_name(written.name); !named) {
    return fail(named.error());
  }
  Result<std::string> entry = entry_of(written, facts);
  if (!entry) {
    return fail(std::move(entry.error()));
  }
  return NewServer{.name = written.name, .entry_json = *std::move(entry)};
}

std::string name_of_host(std::string_view host) {
  constexpr std::array<std::string_view, 8> said_of_many = {
      "www", "mcp", "api", "app", "server", "remote", "gateway", "sse"};
  const std::vector<std::string_view> labels = text::split(host, '.');
  if (http::is_loopback_host(host) || labels.size() < 2 || host.find(':') != std::string::npos ||
      std::ranges::all_of(host, [](char c) { return ascii::is_digit(c) || c == '.'; })) {
    return "local-mcp";
  }
  for (std::size_t i = 0; i + 1 < labels.size(); ++i) {
    if (std::ranges::find(said_of_many, labels[i]) == said_of_many.end() &&
        is_server_name(labels[i])) {
      return std::string(labels[i]);
    }
  }
  return std::string(labels[labels.size() - 2]);
}

Result<NewServer> server_at(std::string_view url, std::string_view name) {
  const bool is_plain = std::ranges::none_of(url, [](char c) {
    return c <= ' ' || c == '\x7f' ||
           std::string_view("${}\"<>\\^`|#").find(c) != std::string::npos;
  });
  const Result<http::Url> parsed = http::parse_url(url);
  if (!is_plain || !parsed) {
    return wrong_words("this is not an address without fragment and variables" +
                       (parsed ? std::string() : ": " + parsed.error().message()));
  }
  if (!parsed->user_info.empty()) {
    return wrong_words(
        "an address with a password in it is not taken: add the server, then give it "
        "its token");
  }
  if (!parsed->is_secure() && !http::is_loopback_host(parsed->host)) {
    return wrong_words("an address starts with https://; http:// is for servers of this machine");
  }
  const std::string chosen = name.empty() ? name_of_host(parsed->host) : std::string(name);
  if (const Result<void> named = check_server_name(chosen); !named) {
    return fail(named.error());
  }
  json::Writer out;
  out.begin_object().member("url", url);
  return NewServer{.name = chosen, .entry_json = out.end_object().take()};
}

}  // namespace pi_mcp::tool
