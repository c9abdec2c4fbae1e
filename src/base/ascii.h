// Classes of ASCII characters, whatever the locale is, %XX and hexadecimal digits. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp::ascii {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_letter(char c) {
  return is_lower(c) || is_upper(c);
}
constexpr bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}
constexpr bool is_alphanumeric(char c) {
  return is_letter(c) || is_digit(c);
}
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
// A letter, a digit or one of `others`.
constexpr bool is_alphanumeric_or(char c, std::string_view others) {
  return is_alphanumeric(c) || others.find(c) != std::string_view::npos;
}

constexpr char to_lower(char c) {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
// Equal but for the case of letters.
constexpr bool is_same(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, to_lower, to_lower);
}

// Other characters than letters are unchanged.
std::string upper(std::string_view text);

// %41 becomes A; a percent sign that begins no escape stays.
std::string percent_decoded(std::string_view text);

// The bytes of pairs of hexadecimal digits, in either case; nullopt: it is something else.
std::optional<std::string> hex_decoded(std::string_view text);

}  // namespace pi_mcp::ascii
