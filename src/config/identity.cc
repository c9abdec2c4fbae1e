#include "config/identity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Sorted by code unit, as the canonical text wants them.
constexpr std::array<std::string_view, 10> hashed_fields = {"args",
                                                            "auth",
                                                            "bearerToken",
                                                            "bearerTokenEnv",
                                                            "command",
                                                            "cwd",
                                                            "env",
                                                            "exposeResources",
                                                            "headers",
                                                            "url"};

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
CodeUnits code_units(json::Value string) {
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
      json::append_decoded(decoded, inside.substr(position, 2));
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

void append_canonical(std::string& out, json::Value value);

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void append_object(std::string& out, json::Value object) {
  std::map<CodeUnits, json::Value> sorted;
  for (const json::Member member : object.members()) {
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
void append_array(std::string& out, json::Value array) {
  out += '[';
  bool first = true;
  for (const json::Value element : array.elements()) {
    out += first ? "" : ",";
    first = false;
    append_canonical(out, element);
  }
  out += ']';
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
void append_canonical(std::string& out, json::Value value) {
  switch (value.kind()) {
    case json::Kind::object:
      append_object(out, value);
      return;
    case json::Kind::array:
      append_array(out, value);
      return;
    case json::Kind::string:
      append_string(out, code_units(value));
      return;
    case json::Kind::number: {
      const std::optional<double> number = value.as_double();
      // Outside the range JavaScript reads Infinity, which JSON.stringify writes as null.
      out += number ? number_text(*number) : "null";
      return;
    }
    case json::Kind::boolean:
    case json::Kind::null:
      out += value.raw();
      return;
  }
}

}  // namespace

std::string identity_text(json::Value entry) {
  std::string out = "{";
  for (const std::string_view field : hashed_fields) {
    out += out.size() == 1 ? "\"" : ",\"";
    out += field;
    out += "\":";
    const json::Value value = entry.find(field);
    if (value) {
      append_canonical(out, value);
    } else {
      out += "undefined";
    }
  }
  return out + "}";
}

std::string identity_hash(json::Value entry) {
  return sha256_hex(identity_text(entry));
}

std::string authorization_context(const Server& server, const Environment& environment) {
  json::Writer text;
  const auto add = [&](std::string_view configured) {
    text.string(interpolate(configured, environment).text);
  };
  const auto add_map = [&](const std::map<std::string, std::string>& values) {
    text.begin_array();
    for (const auto& [name, value] : values) {
      text.string(name);
      add(value);
    }
    text.end_array();
  };
  text.begin_array();
  add(server.command.value_or(""));
  add(server.url.value_or(""));
  add(server.socket.value_or(""));
  add(server.bearer_token.value_or(""));
  text.string(server.bearer_token_env ? environment.variable(*server.bearer_token_env).value_or("")
                                      : "");
  text.begin_array();
  for (const std::string& arg : server.args) {
    add(arg);
  }
  text.end_array();
  add_map(server.env);
  add_map(server.headers);
  if (server.request_headers_command) {
    add(server.request_headers_command->command);
    text.begin_array();
    for (const std::string& arg : server.request_headers_command->args) {
      add(arg);
    }
    text.end_array();
    add_map(server.request_headers_command->env);
  }
  if (server.oauth) {
    add_map(server.oauth->texts);
  }
  return sha256_hex(text.end_array().text());
}

}  // namespace pi_mcp::config
