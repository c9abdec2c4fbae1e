// What a secret looks like: by the name of what holds it, and by itself.
#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"
#include "secrets/mask.h"

namespace pi_mcp::secrets {
namespace {

using ascii::is_alphanumeric;
using ascii::is_digit;
using ascii::is_lower;
using ascii::is_upper;

// "clientSecret", "CLIENT_SECRET" and "X-Client-Secret" have the word "secret".
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool boundary = is_upper(name[i]) && i > 0 && !is_upper(name[i - 1]);
    if (boundary || !is_alphanumeric(name[i])) {
      words.emplace_back();
    }
    if (is_alphanumeric(name[i])) {
      words.back() += text::lower(name.substr(i, 1));
    }
  }
  return words;
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
    return text.find(part) != std::string_view::npos;
  });
}

// What services put at the start of the keys they hand out.
constexpr std::array<std::string_view, 33> key_prefixes = {
    "sk-",         "sk_",    "pk_",     "rk_",   "ghp_",  "gho_",    "ghu_",  "ghs_",   "ghr_",
    "github_pat_", "glpat-", "xoxb-",   "xoxp-", "xoxa-", "xoxs-",   "xapp-", "AKIA",   "ASIA",
    "AIza",        "ya29.",  "eyJ",     "npm_",  "pypi-", "dop_v1_", "hf_",   "shpat_", "SG.",
    "lin_api_",    "ntn_",   "secret_", "tvly-", "fc-",   "ATATT"};

struct Shape {
  bool upper = false;
  bool lower = false;
  bool digit = false;
  bool separator = false;  // - or _
  bool slash = false;      // / or +
  bool other = false;
};

Shape shape_of(std::string_view word) {
  Shape shape;
  for (const char c : word) {
    shape.upper |= is_upper(c);
    shape.lower |= is_lower(c);
    shape.digit |= is_digit(c);
    shape.separator |= c == '-' || c == '_';
    shape.slash |= c == '/' || c == '+';
    shape.other |=
        !is_alphanumeric(c) && std::string_view("-_/+=").find(c) == std::string_view::npos;
  }
  return shape;
}

bool is_hexadecimal(std::string_view word) {
  return std::all_of(
      word.begin(), word.end(), [](char c) { return ascii::is_hex_digit(c) || c == '-'; });
}

}  // namespace

bool is_secret_name(std::string_view name) {
  constexpr std::array<std::string_view, 14> secret_words = {"key",
                                                             "keys",
                                                             "pass",
                                                             "pwd",
                                                             "auth",
                                                             "pat",
                                                             "sig",
                                                             "signature",
                                                             "jwt",
                                                             "session",
                                                             "cookie",
                                                             "bearer",
                                                             "otp",
                                                             "private"};
  constexpr std::array<std::string_view, 8> secret_parts = {
      "token", "secret", "password", "passwd", "passphrase", "apikey", "accesskey", "credential"};
  // "--token-file PATH" names where the secret is.
  constexpr std::array<std::string_view, 6> places = {"file", "path", "env", "var", "dir", "type"};
  const std::vector<std::string> words = words_of(name);
  const std::string joined = text::join(words, "");
  if (is_one_of(places, words.back())) {
    return false;
  }
  return contains_any(joined, secret_parts) || joined.starts_with("authorization") ||
         std::any_of(words.begin(), words.end(), [&](const std::string& word) {
           return is_one_of(secret_words, word);
         });
}

bool looks_like_secret(std::string_view word) {
  constexpr std::size_t prefixed_length_min = 12;
  constexpr std::size_t length_min = 20;
  constexpr std::size_t base64_length_min = 32;
  const Shape shape = shape_of(word);
  if (word.size() >= prefixed_length_min && shape.digit &&
      std::any_of(key_prefixes.begin(), key_prefixes.end(), [word](std::string_view prefix) {
        return word.starts_with(prefix);
      })) {
    return true;
  }
  if (word.size() < length_min || shape.other || !shape.digit) {
    return false;
  }
  if (shape.slash) {
    return word.size() >= base64_length_min && shape.upper && shape.lower && word.front() != '/';
  }
  return (shape.upper && shape.lower) || is_hexadecimal(word) ||
         (!shape.separator && (shape.upper || shape.lower));
}

}  // namespace pi_mcp::secrets
