// What a Value answers: kinds, texts, numbers, members.
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "json/document.h"
#include "json/text_pieces.h"

namespace pi_mcp::json {
namespace {

// Whether a number outside the range of a double is too small to represent, not too large.
bool is_tiny(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    return digits[exponent + 1] == '-';
  }
  return digits.starts_with("0.") || digits.starts_with("-0.");
}

}  // namespace

std::string_view kind_name(Kind kind) {
  constexpr std::array<std::string_view, 6> names = {
      "null", "boolean", "number", "string", "array", "object"};
  return names[static_cast<std::size_t>(kind)];
}

std::string kind_text(Kind kind) {
  const bool is_container = kind == Kind::array || kind == Kind::object;
  const std::string_view article = is_container ? "an " : kind == Kind::null ? "" : "a ";
  return std::string(article).append(kind_name(kind));
}

std::optional<std::string> Value::as_string() const {
  if (!is_string()) {
    return std::nullopt;
  }
  const std::string_view inside(text_ + node().offset, node().length);
  if (!node().escaped) {
    return std::string(inside);
  }
  std::string decoded;
  decoded.reserve(inside.size());
  append_decoded(decoded, inside);
  return decoded;
}

std::string Value::string_or(std::string_view fallback) const {
  std::optional<std::string> decoded = as_string();
  return decoded ? *std::move(decoded) : std::string(fallback);
}

bool Value::equals(std::string_view text) const {
  if (!exists()) {
    return false;
  }
  const Node& here = node();
  if (here.kind != Kind::string) {
    return false;
  }
  return here.escaped ? as_string() == text
                      : here.length == text.size() &&
                            std::memcmp(text_ + here.offset, text.data(), text.size()) == 0;
}

std::optional<bool> Value::as_bool() const {
  if (!is(Kind::boolean)) {
    return std::nullopt;
  }
  return raw() == "true";
}

std::optional<double> Value::as_double() const {
  if (!is(Kind::number)) {
    return std::nullopt;
  }
  const std::string_view digits = raw();
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    return is_tiny(digits) ? std::optional(0.0) : std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> Value::as_int() const {
  if (!is(Kind::number)) {
    return std::nullopt;
  }
  const std::string_view digits = raw();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) {
    return value;
  }
  const std::optional<double> number = as_double();
  // Doubles represent every integer up to 2^53; beyond that the fraction is gone anyway.
  constexpr double exact_max = 9007199254740992.0;
  if (!number || std::trunc(*number) != *number || std::abs(*number) > exact_max) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*number);
}

std::size_t Value::size() const {
  std::size_t count = 0;
  for ([[maybe_unused]] const Member child : children()) {
    ++count;
  }
  return count;
}

Value Value::find(std::string_view name) const {
  if (!is_object()) {
    return {};
  }
  // 0: none; the index of a member's value is never that.
  std::uint32_t found = 0;
  const std::uint32_t end = node().next;
  for (std::uint32_t key = index_ + 1; key < end; key = nodes_[key + 1].next) {
    const Node& node = nodes_[key];
    const bool same = node.escaped
                          ? Value(text_, nodes_, key).equals(name)
                          : node.length == name.size() &&
                                std::memcmp(text_ + node.offset, name.data(), name.size()) == 0;
    found = same ? key + 1 : found;
  }
  return found == 0 ? Value() : Value(text_, nodes_, found);
}

Value Value::at(std::initializer_list<std::string_view> path) const {
  Value value = *this;
  for (const std::string_view name : path) {
    value = value.find(name);
  }
  return value;
}

Value Value::element(std::size_t index) const {
  for (const Value value : elements()) {
    if (index-- == 0) {
      return value;
    }
  }
  return {};
}

}  // namespace pi_mcp::json
