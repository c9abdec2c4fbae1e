#include "json/canonical.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/text.h"
#include "json/text_pieces.h"
#include "json/writer.h"

namespace pi_mcp::json {
namespace {

using CodeUnits = std::u16string;

char16_t hex_unit(std::string_view four) {
  unsigned value = 0;
  std::from_chars(four.data(), four.data() + four.size(), value, 16);
  return static_cast<char16_t>(value);
}

void append_code_point(CodeUnits& out, char32_t c) {
  if (c < 0x10000) {
    out += static_cast<char16_t>(c);
    return;
  }
  out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10U));
  out += static_cast<char16_t>(0xDC00 + ((c - 0x10000) & 0x3FFU));
}

// What JavaScript holds after reading a JSON string: UTF-16, lone surrogates included.
CodeUnits code_units(Value string) {
  std::string_view inside = string.raw();
  inside = inside.substr(1, inside.size() - 2);
  CodeUnits out;
  std::size_t position = 0;
  while (position < inside.size()) {
    if (inside[position] != '\\') {
      append_code_point(out, text::next_code_point(inside, position));
    } else if (inside[position + 1] == 'u') {
      out += hex_unit(inside.substr(position + 2, 4));
      position += 6;
    } else {
      std::string decoded;
      append_decoded(decoded, inside.substr(position, 2));
      out += static_cast<char16_t>(decoded[0]);
      position += 2;
    }
  }
  return out;
}

bool is_surrogate(char16_t unit) {
  return unit >= 0xD800 && unit <= 0xDFFF;
}

void append_hex_escape(std::string& out, char16_t unit) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) {
    out += digits[(unit >> shift) & 0xFU];
  }
}

void append_unit(std::string& out, char16_t unit) {
  constexpr std::u16string_view named = u"\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  const std::size_t index = named.find(unit);
  if (index != std::u16string_view::npos) {
    out += '\\';
    out += letters[index];
  } else if (unit < 0x20 || is_surrogate(unit)) {
    append_hex_escape(out, unit);
  } else {
    text::append_utf8(out, unit);
  }
}

// ECMA-262 QuoteJSONString.
void append_string(std::string& out, const CodeUnits& units) {
  out += '"';
  for (std::size_t i = 0; i < units.size(); ++i) {
    const char16_t unit = units[i];
    const bool pair = unit >= 0xD800 && unit <= 0xDBFF && i + 1 < units.size() &&
                      units[i + 1] >= 0xDC00 && units[i + 1] <= 0xDFFF;
    if (!pair) {
      append_unit(out, unit);
      continue;
    }
    ++i;
    text::append_utf8(
        out, 0x10000 + ((static_cast<char32_t>(unit) - 0xD800) << 10U) + (units[i] - 0xDC00U));
  }
  out += '"';
}

// Whether JavaScript would write a string as it stands: of most that is quickly seen.
bool is_plain(std::string_view raw) {
  return std::ranges::all_of(raw, [](char c) { return c >= ' ' && c <= '~' && c != '\\'; });
}

// ECMA-262 Number::toString. std::to_chars finds the same shortest digits; only where the point and
// the exponent go differs.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  std::string digits = text::replace_all(text.substr(0, e), ".", "");
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 2 : 1;
  std::from_chars(text.data() + e + sign, text.data() + text.size(), exponent);

  const auto count = static_cast<int>(digits.size());
  if (exponent >= 21 || exponent < -6) {
    digits.insert(1, count > 1 ? "." : "");
    digits += (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
  } else if (exponent < 0) {
    digits.insert(0,
                  std::string_view("0.000000").substr(0, static_cast<std::size_t>(1 - exponent)));
  } else if (count <= exponent + 1) {
    digits.resize(static_cast<std::size_t>(exponent) + 1, '0');
  } else {
    digits.insert(static_cast<std::size_t>(exponent) + 1, ".");
  }
  return (value < 0 ? "-" : "") + digits;
}

void append_canonical(std::string& out, Value value);

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void append_object(std::string& out, Value object) {
  std::map<CodeUnits, Value> sorted;
  for (const Member member : object.members()) {
    sorted[code_units(member.key)] = member.value;
  }
  out += '{';
  for (const auto& [key, value] : sorted) {
    out += out.back() == '{' ? "" : ",";
    append_string(out, key);
    out += ':';
    append_canonical(out, value);
  }
  out += '}';
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void append_array(std::string& out, Value array) {
  out += '[';
  bool first = true;
  for (const Value element : array.elements()) {
    out += first ? "" : ",";
    first = false;
    append_canonical(out, element);
  }
  out += ']';
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void append_canonical(std::string& out, Value value) {
  switch (value.kind()) {
    case Kind::object:
      append_object(out, value);
      return;
    case Kind::array:
      append_array(out, value);
      return;
    case Kind::string:
      if (is_plain(value.raw())) {
        out += value.raw();
      } else {
        append_string(out, code_units(value));
      }
      return;
    case Kind::number: {
      const std::optional<double> number = value.as_double();
      // Outside the range JavaScript reads Infinity, which JSON.stringify writes as null.
      out += number ? number_text(*number) : "null";
      return;
    }
    case Kind::boolean:
    case Kind::null:
      out += value.raw();
      return;
  }
}

}  // namespace

std::string canonical(Value value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

bool is_same_value(std::string_view one, std::string_view other) {
  if (one == other) {
    return true;
  }
  const Result<Document> left = Document::parse_view(one);
  const Result<Document> right = Document::parse_view(other);
  if (!left || !right) {
    return false;
  }
  // Mostly only white space differs, and that is quickly seen.
  return compact(left->root()) == compact(right->root()) ||
         canonical(left->root()) == canonical(right->root());
}

}  // namespace pi_mcp::json
