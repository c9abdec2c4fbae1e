// The dotenv format, as far as its readers agree on it.
#include "base/text.h"
#include "config/import/reader.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    out += text[i] == 'n' ? '\n' : text[i] == 'r' ? '\r' : text[i] == 't' ? '\t' : text[i];
  }
  return out;
}

// Where the closing quote of a value stands that starts with one.
std::size_t closing_quote(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == text[0]) {
      return i;
    }
    i += text[0] == '"' && text[i] == '\\' ? 1 : 0;
  }
  return std::string_view::npos;
}

std::string value_text(std::string_view text) {
  text = text::trim(text);
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  const std::size_t close = quoted ? closing_quote(text) : std::string_view::npos;
  if (close != std::string_view::npos) {
    const std::string_view inside = text.substr(1, close - 1);
    return text[0] == '"' ? unescaped(inside) : std::string(inside);
  }
  return std::string(text::trim(text.substr(0, text.find(" #"))));
}

}  // namespace

std::vector<RawField> parse_env_file(std::string_view text) {
  std::vector<RawField> variables;
  for (const std::string_view raw_line : text::split(text, '\n')) {
    std::string_view line = text::trim(raw_line);
    if (line.starts_with("export ")) {
      line = text::trim(line.substr(7));
    }
    const std::size_t equals = line.find('=');
    const std::string_view name = text::trim(line.substr(0, equals));
    if (equals != std::string_view::npos && !name.empty() && !name.starts_with('#')) {
      variables.push_back(RawField::of(name, json::quoted(value_text(line.substr(equals + 1)))));
    }
  }
  return variables;
}

}  // namespace pi_mcp::config
