#include "secrets/mask.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/text.h"
#include "base/variable_reference.h"
#include "json/writer.h"

namespace pi_mcp::secrets {
namespace {

constexpr std::string_view space = " \t\r\n\v\f";
constexpr std::string_view quotes = "\"'`";

// "Bearer " of "Bearer abc".
std::string_view scheme_of(std::string_view text) {
  for (const std::string_view scheme : {"bearer ", "basic ", "token ", "apikey ", "digest "}) {
    if (text::lower(text.substr(0, scheme.size())) == scheme) {
      return text.substr(0, scheme.size());
    }
  }
  return {};
}

std::string mask_run(std::string_view run) {
  const std::string_view scheme = scheme_of(run);
  const bool harmless =
      run.substr(scheme.size()).find_first_not_of(space) == std::string_view::npos;
  return std::string(harmless ? run : scheme) + (harmless ? "" : std::string(masked));
}

using Mask = std::string (*)(std::string_view text);

// The reference as written, its default masked.
std::string reference_text(std::string_view text, const VariableReference& reference, Mask mask) {
  const std::string_view written = text.substr(0, reference.length);
  if (!reference.fallback) {
    return std::string(written);
  }
  const auto kept = static_cast<std::size_t>(reference.fallback->data() - text.data());
  return std::string(written.substr(0, kept)) + mask(*reference.fallback) + "}";
}

// The parts of a text between its references go through `mask`.
std::string mask_between_references(std::string_view text, Mask mask) {
  std::string out;
  std::size_t begin = 0;
  // Nothing else begins one; long outputs of servers have next to none of them.
  constexpr std::string_view openings = "${";
  std::size_t at = text.find_first_of(openings);
  while (at != std::string_view::npos) {
    const VariableReference reference = reference_at(text.substr(at));
    if (reference.length == 0) {
      at = text.find_first_of(openings, at + 1);
      continue;
    }
    out += mask(text.substr(begin, at - begin));
    out += reference_text(text.substr(at), reference, mask);
    begin = at + reference.length;
    at = text.find_first_of(openings, begin);
  }
  return out + mask(text.substr(begin));
}

std::string mask_word(std::string_view word);

// A value that is harmless unless it looks like a key.
std::string mask_value(std::string_view text) {
  return looks_like_secret(text) ? std::string(masked) : std::string(text);
}

// name=value&name=value
std::string mask_query(std::string_view query) {
  std::vector<std::string> parts;
  for (const std::string_view part : text::split(query, '&')) {
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (equals == std::string_view::npos) {
      parts.push_back(mask_value(part));
      continue;
    }
    const std::string_view value = part.substr(equals + 1);
    const bool secret = is_secret_name(name) || looks_like_secret(value);
    parts.push_back(mask_value(name) + "=" + (secret ? mask_literal(value) : mask_word(value)));
  }
  return text::join(parts, "&");
}

std::string mask_path(std::string_view path) {
  std::vector<std::string> segments;
  for (const std::string_view segment : text::split(path, '/')) {
    segments.push_back(mask_value(segment));
  }
  return text::join(segments, "/");
}

std::string mask_user(std::string_view user_information) {
  const std::size_t colon = user_information.find(':');
  const std::string user = mask_literal(user_information.substr(0, colon));
  return colon == std::string_view::npos
             ? user
             : user + ":" + mask_literal(user_information.substr(colon + 1));
}

// Where the user information of what follows "://" ends. A password with a bare slash in it breaks
// the rules of urls, and is a password all the same.
std::optional<std::size_t> user_end(std::string_view rest) {
  const std::size_t authority_end = std::min(rest.find_first_of("/?#"), rest.size());
  const std::size_t at = rest.substr(0, authority_end).rfind('@');
  if (at != std::string_view::npos) {
    return at;
  }
  const std::string_view authority = rest.substr(0, authority_end);
  const std::size_t colon = authority.rfind(':');
  const bool port =
      colon == std::string_view::npos ||
      authority.substr(colon + 1).find_first_not_of("0123456789]}") == std::string_view::npos;
  const std::size_t late = rest.find('@', authority_end);
  return port || late == std::string_view::npos ? std::nullopt : std::optional(late);
}

bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return ascii::is_alphanumeric_or(c, "_-."); });
}

// "token" of token and of {"a":1,"token"; empty where there is more before it.
std::string_view name_at_end(std::string_view text) {
  if (is_name(text)) {
    return text;
  }
  text = text.substr(0, text.find_last_not_of(quotes) + 1);
  std::size_t begin = text.size();
  while (begin > 0 && is_name(text.substr(begin - 1, 1))) {
    --begin;
  }
  const std::string_view before = text.substr(0, begin);
  const bool opens = before.find_last_of("\"'`{[(,;") + 1 == begin && !before.ends_with("${");
  return opens && begin > 0 ? text.substr(begin) : std::string_view();
}

// One word: NAME=VALUE, Name:value, a url, or something that looks like a key.
// NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
std::string mask_word(std::string_view word) {
  const std::size_t mark = word.find_first_of("=:");
  const std::string_view name = name_at_end(word.substr(0, mark));
  const std::string_view value =
      mark == std::string_view::npos ? std::string_view() : word.substr(mark + 1);
  if (!value.empty() && !value.starts_with("//") && !name.empty()) {
    return std::string(word.substr(0, mark + 1)) +
           (is_secret_name(name) ? mask_literal(value) : mask_word(value));
  }
  return word.find("://") == std::string_view::npos ? mask_between_references(word, mask_value)
                                                    : mask_url(word);
}

// What the word before says about the next one.
enum class Expect { nothing, secret, assignment, header, user };

// A word without the quotes around it.
std::string_view unquoted(std::string_view word) {
  while (!word.empty() && quotes.find(word.front()) != std::string_view::npos) {
    word.remove_prefix(1);
  }
  while (!word.empty() && quotes.find(word.back()) != std::string_view::npos) {
    word.remove_suffix(1);
  }
  return word;
}

Expect expectation_of(std::string_view word) {
  constexpr std::array<std::string_view, 4> assignments = {"-e", "--env", "-E", "--build-arg"};
  constexpr std::array<std::string_view, 2> headers = {"-H", "--header"};
  constexpr std::array<std::string_view, 2> users = {"-u", "--user"};
  word = unquoted(word);
  const auto is_in = [word](const auto& list) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  if (is_in(assignments)) {
    return Expect::assignment;
  }
  if (is_in(headers)) {
    return Expect::header;
  }
  if (is_in(users)) {
    return Expect::user;
  }
  // "--token", "Authorization:" and "Bearer" are each followed by a secret.
  const bool announces = word.starts_with('-') || word.ends_with(':') || word.ends_with('=');
  const bool scheme = !scheme_of(std::string(word) + " ").empty();
  return scheme || (announces &&
                    is_secret_name(unquoted(word.substr(0, word.find_last_not_of("=:") + 1))))
             ? Expect::secret
             : Expect::nothing;
}

// "NAME=VALUE" or "Name: value", the value hidden whatever its name.
std::string mask_after(std::string_view text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) {
    return mask_value(text);
  }
  const std::size_t value = std::min(text.find_first_not_of(space, at + 1), text.size());
  return std::string(text.substr(0, value)) + mask_literal(text.substr(value));
}

std::string mask_expected(std::string_view text, Expect expect) {
  switch (expect) {
    case Expect::secret:
      return mask_literal(text);
    case Expect::assignment:
      return mask_after(text, '=');
    case Expect::header:
    case Expect::user:
      return mask_after(text, ':');
    case Expect::nothing:
      return std::string(text);
  }
  return std::string(masked);
}

// "--flag=VALUE" and "-eNAME=VALUE"; nullopt for anything else.
// NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
std::optional<std::string> mask_flag_with_value(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  if (!argument.starts_with('-') || equals == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view flag = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  const bool joined = flag.starts_with("-e") && flag.size() > 2;
  const Expect inner = joined ? Expect::secret : expectation_of(flag);
  return std::string(argument.substr(0, equals + 1)) +
         (inner == Expect::nothing ? mask_text(value) : mask_expected(value, inner));
}

// Up to the next white space outside quotes.
std::string_view next_word(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && space.find(text[at]) == std::string_view::npos) {
    const bool opens = quotes.find(text[at]) != std::string_view::npos;
    const std::size_t close = opens ? text.find(text[at], at + 1) : std::string_view::npos;
    at = close == std::string_view::npos ? at + 1 : close + 1;
  }
  return text.substr(0, at);
}

// A word of a command line; `expect` comes from the one before it.
// NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
std::string mask_command_word(std::string_view word, Expect expect) {
  if (expect != Expect::nothing && !word.starts_with("--")) {
    return mask_expected(word, expect);
  }
  if (const std::optional<std::string> flag = mask_flag_with_value(word)) {
    return *flag;
  }
  const std::string_view inside = unquoted(word);
  if (inside.size() == word.size()) {
    return mask_word(word);
  }
  const auto before = static_cast<std::size_t>(inside.data() - word.data());
  return std::string(word.substr(0, before)) + mask_text(inside) +
         std::string(word.substr(before + inside.size()));
}

// NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
std::string mask_argument(std::string_view argument, Expect expect) {
  if (expect != Expect::nothing && !argument.starts_with("--")) {
    return mask_expected(argument, expect);
  }
  const std::optional<std::string> flag = mask_flag_with_value(argument);
  return flag ? *flag : mask_text(argument);
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string mask_all(json::Value value) {
  json::Writer writer;
  if (value.is_object()) {
    writer.begin_object();
    for (const json::Member member : value.members()) {
      writer.member_raw(member.name(), mask_all(member.value));
    }
    writer.end_object();
    return writer.take();
  }
  if (value.is_array()) {
    writer.begin_array();
    for (const json::Value element : value.elements()) {
      writer.raw(mask_all(element));
    }
    writer.end_array();
    return writer.take();
  }
  if (value.is_string()) {
    return json::quoted(mask_literal(value.string_or("")));
  }
  return value.is(json::Kind::number) ? json::quoted(masked) : std::string(value.raw());
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string mask_array(json::Value array) {
  std::vector<std::string> strings;
  for (const json::Value element : array.elements()) {
    strings.push_back(element.is_string() ? element.string_or("") : std::string());
  }
  strings = mask_arguments(strings);
  json::Writer writer;
  writer.begin_array();
  std::size_t index = 0;
  for (const json::Value element : array.elements()) {
    writer.raw(element.is_string() ? json::quoted(strings[index]) : mask_field("", element));
    ++index;
  }
  writer.end_array();
  return writer.take();
}

// Keys whose names sound like a secret and that hold none.
bool is_harmless_key(std::string_view key) {
  constexpr std::array<std::string_view, 9> harmless = {"auth",
                                                        "oauth",
                                                        "bearerTokenEnv",
                                                        "bearerTokenStore",
                                                        "authServerMetadataUrl",
                                                        "oauthCredentialStore",
                                                        "oauthKeyFile",
                                                        "tokenEndpoint",
                                                        "authRequiredMessage"};
  return std::find(harmless.begin(), harmless.end(), key) != harmless.end();
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): every call gets a shorter text.
std::string mask_text(std::string_view text) {
  if (text.find_first_of(space) == std::string_view::npos) {
    return mask_word(text);
  }
  // "Authorization: Bearer abc" is one header, not three words.
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && is_name(text.substr(0, colon)) &&
      is_secret_name(text.substr(0, colon))) {
    return mask_after(text, ':');
  }
  std::string out;
  Expect expect = Expect::nothing;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(space), text.size());
    out += text.substr(0, begin);
    text.remove_prefix(begin);
    const std::string_view word = next_word(text);
    out += mask_command_word(word, expect);
    expect = expectation_of(word);
    text.remove_prefix(word.size());
  }
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string mask_known(json::Value value, const Secrets& secrets) {
  if (value.is_string()) {
    return json::quoted(secrets.hidden_in(value.string_or("")));
  }
  if (!value.is_object() && !value.is_array()) {
    return std::string(value.raw());
  }
  json::Writer writer;
  value.is_object() ? writer.begin_object() : writer.begin_array();
  for (const json::Member child : value.children()) {
    if (child.key) {
      writer.key(secrets.hidden_in(child.name()));
    }
    writer.raw(mask_known(child.value, secrets));
  }
  value.is_object() ? writer.end_object() : writer.end_array();
  return writer.take();
}

std::string mask_literal(std::string_view text) {
  if (text.starts_with('!')) {
    return (text.starts_with("!!") ? "" : "!") + std::string(masked);
  }
  return mask_between_references(text, mask_run);
}

std::string mask_url(std::string_view url) {
  const std::size_t mark = url.find("://");
  if (mark == std::string_view::npos) {
    return mask_text(url);
  }
  std::string out = mask_value(url.substr(0, mark)) + "://";
  std::string_view rest = url.substr(mark + 3);
  if (const std::optional<std::size_t> end = user_end(rest)) {
    out += mask_user(rest.substr(0, *end)) + "@";
    rest.remove_prefix(*end + 1);
  }
  const std::string_view path = rest.substr(0, std::min(rest.find_first_of("?#"), rest.size()));
  out += mask_between_references(path, mask_path);
  rest.remove_prefix(path.size());
  while (!rest.empty()) {
    const std::string_view part = rest.substr(1, rest.substr(1).find_first_of("?#"));
    out += rest.front() + mask_query(part);
    rest.remove_prefix(part.size() + 1);
  }
  return out;
}

std::vector<std::string> mask_arguments(const std::vector<std::string>& arguments) {
  std::vector<std::string> out;
  Expect expect = Expect::nothing;
  for (const std::string& argument : arguments) {
    out.push_back(mask_argument(argument, expect));
    expect = argument.find('=') == std::string::npos ? expectation_of(argument) : Expect::nothing;
  }
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string mask_field(std::string_view key, json::Value value) {
  const bool secret = key == "env" || key == "environment" || key == "headers" ||
                      (is_secret_name(key) && !is_harmless_key(key));
  if (secret) {
    return mask_all(value);
  }
  if (value.is_object()) {
    return mask_entry(value);
  }
  if (value.is_array()) {
    return mask_array(value);
  }
  return value.is_string() ? json::quoted(mask_text(value.string_or("")))
                           : std::string(value.raw());
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string mask_entry(json::Value entry) {
  json::Writer writer;
  writer.begin_object();
  for (const json::Member member : entry.members()) {
    writer.member_raw(member.name(), mask_field(member.name(), member.value));
  }
  writer.end_object();
  return writer.take();
}

}  // namespace pi_mcp::secrets
