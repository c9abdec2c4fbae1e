#include "cli/shell_words.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

constexpr std::string_view opening = "mcp({";
constexpr std::string_view closing = "})";
// A step is short; a longer run between the brackets is not one of ours.
constexpr std::size_t step_bytes_max = 400;

using Fields = std::map<std::string, std::string, std::less<>>;

// Reads `key: "value", key: { ... }`. nullopt for anything else.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : rest_(text) {}

  std::optional<Fields> read() {
    Fields fields;
    for (rest_ = text::trim(rest_); !rest_.empty(); rest_ = text::trim(rest_)) {
      const std::size_t colon = rest_.find(':');
      if (colon == std::string_view::npos) {
        return std::nullopt;
      }
      const std::string key(text::trim(rest_.substr(0, colon)));
      rest_ = text::trim(rest_.substr(colon + 1));
      std::optional<std::string> value = read_value();
      if (!value) {
        return std::nullopt;
      }
      fields[key] = *std::move(value);
      rest_ = text::trim(rest_);
      if (rest_.starts_with(',')) {
        rest_.remove_prefix(1);
      }
    }
    return fields;
  }

 private:
  std::optional<std::string> read_value() {
    const char open = rest_.empty() ? '\0' : rest_.front();
    if (open != '"' && open != '{') {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(open == '"' ? '"' : '}', 1);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string value(open == '"' ? rest_.substr(1, end - 1) : rest_.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    return value;
  }

  std::string_view rest_;
};

std::optional<std::string> command_of(const Fields& fields) {
  const auto server = fields.find("server");
  const auto with_server = [&](const std::string& command) {
    return server == fields.end() ? command : command + " --server " + shell_word(server->second);
  };
  if (const auto tool = fields.find("tool"); tool != fields.end()) {
    return with_server("pi-mcp call " + shell_word(tool->second) + " key=value");
  }
  for (const char* mode : {"connect", "describe", "search"}) {
    if (const auto field = fields.find(mode); field != fields.end()) {
      const bool any_words = field->second == "...";
      return with_server("pi-mcp " + std::string(mode) + " " +
                         (any_words ? "WORDS" : shell_word(field->second)));
    }
  }
  if (const auto field = fields.find("instructions"); field != fields.end()) {
    return "pi-mcp list " + shell_word(field->second) + " --instructions";
  }
  if (server != fields.end()) {
    return "pi-mcp list " + shell_word(server->second);
  }
  return fields.empty() ? std::optional<std::string>("pi-mcp status") : std::nullopt;
}

}  // namespace

std::string in_shell_words(std::string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = text.find(opening, at);
    const std::size_t inside = start + opening.size();
    const std::size_t end = start == std::string_view::npos ? start : text.find(closing, inside);
    if (end == std::string_view::npos) {
      break;
    }
    std::optional<std::string> command;
    if (end - inside <= step_bytes_max) {
      if (const std::optional<Fields> fields =
              FieldReader(text.substr(inside, end - inside)).read()) {
        command = command_of(*fields);
      }
    }
    out += text.substr(at, start - at);
    out += command ? *command : std::string(text.substr(start, end + closing.size() - start));
    at = end + closing.size();
  }
  out += text.substr(std::min(at, text.size()));
  return text::replace_all(out, " \u2014 offset: ", " \u2014 --offset ");
}

std::string shell_word(std::string_view word) {
  if (word == "name") {
    return "SERVER";
  }
  const bool plain = !word.empty() && std::ranges::all_of(word, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') ||
           std::string_view("_-./:@%+,=").find(byte) != std::string_view::npos;
  });
  return plain ? std::string(word) : "'" + text::replace_all(word, "'", "'\\''") + "'";
}

}  // namespace pi_mcp::cli
