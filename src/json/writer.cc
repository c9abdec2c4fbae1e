#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"

namespace pi_mcp::json {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

using Word = std::uint64_t;
constexpr Word every_byte = 0x0101010101010101U;

// Marks bytes of `word` that have to be escaped or checked, in their highest bits; perhaps some
// behind the first such byte that do not.
constexpr Word marked(Word word) {
  const auto zeros = [](Word bytes) {
    return bytes - every_byte;
  };
  return word | zeros(word ^ every_byte * '"') | zeros(word ^ every_byte * '\\') |
         (word - every_byte * 0x20) | (word + every_byte);  // the last: 0x7F
}

template <class Number>
Word number_at(const char* bytes) {
  Number number = 0;
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

// Most names and words: nothing to escape or to check. Several bytes at a time, since compilers
// make little of short texts; the last of them overlap with others.
bool is_plain(std::string_view text) {
  const std::size_t size = text.size();
  const char* const p = text.data();
  Word marks = 0;
  if (size >= sizeof(Word)) {
    for (std::size_t i = 0; i + sizeof(Word) < size; i += sizeof(Word)) {
      marks |= marked(number_at<Word>(p + i));
    }
    marks |= marked(number_at<Word>(p + size - sizeof(Word)));
  } else if (size >= sizeof(std::uint32_t)) {
    marks = marked(number_at<std::uint32_t>(p) |
                   number_at<std::uint32_t>(p + size - sizeof(std::uint32_t)) << 32U);
  } else {
    Word word = every_byte * ' ';
    for (const char c : text) {
      word = word << 8U | static_cast<unsigned char>(c);
    }
    marks = marked(word);
  }
  return (marks & (every_byte * 0x80)) == 0;
}

void append_escape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default: {
      const auto byte = static_cast<unsigned char>(c);
      out += "\\u00";
      out += hex_digits[byte >> 4U];
      out += hex_digits[byte & 0xFU];
    }
  }
}

bool needs_escape(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

void append_valid_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (needs_escape(text[i])) {
      out += text.substr(done, i - done);
      append_escape(out, text[i]);
      done = i + 1;
    }
  }
  out += text.substr(done);
  out += '"';
}

// Without lines where `line` is empty. Depth is limited by the parser that made the value.
void append_value(std::string& out, Value value, const std::string& line, std::string_view unit) {
  if (!(value.children().begin() != value.children().end())) {
    out += value.is_object() ? "{}" : value.is_array() ? "[]" : value.raw();
    return;
  }
  const std::string inner = line.empty() ? line : line + std::string(unit);
  std::string_view before = value.is_object() ? "{" : "[";
  for (const Member child : value.children()) {
    out.append(std::exchange(before, ",")).append(inner);
    if (child.key) {
      out.append(child.key.raw()).append(line.empty() ? ":" : ": ");
    }
    append_value(out, child.value, inner, unit);
  }
  out.append(line).append(value.is_object() ? "}" : "]");
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += '"';
    out += text;
    out += '"';
  } else if (text::is_valid_utf8(text)) {
    append_valid_quoted(out, text);
  } else {
    append_valid_quoted(out, text::valid_utf8(text));
  }
}

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

Writer& Writer::key(std::string_view name) {
  separate();
  append_quoted(out_, name);
  out_ += ':';
  return *this;
}

Writer& Writer::string(std::string_view text) {
  separate();
  append_quoted(out_, text);
  comma_due_ = true;
  return *this;
}

Writer& Writer::number(std::int64_t value) {
  return literal(std::to_string(value));
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) {
    return null();
  }
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return literal({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

std::string Writer::take() {
  comma_due_ = false;
  return std::exchange(out_, {});
}

Writer& Writer::open(char bracket) {
  separate();
  out_ += bracket;
  return *this;
}

Writer& Writer::close(char bracket) {
  out_ += bracket;
  comma_due_ = true;
  return *this;
}

Writer& Writer::literal(std::string_view text) {
  separate();
  out_ += text;
  comma_due_ = true;
  return *this;
}

void Writer::separate() {
  if (comma_due_) {
    out_ += ',';
  }
  comma_due_ = false;
}

std::string laid_out(Value value, const std::string& line, std::string_view unit) {
  std::string out;
  append_value(out, value, line, unit);
  return out;
}

std::string pretty(Value value, std::size_t indent) {
  return laid_out(value, "\n", std::string(indent, ' '));
}

std::string compact(Value value) {
  return laid_out(value, "", "");
}

}  // namespace pi_mcp::json
