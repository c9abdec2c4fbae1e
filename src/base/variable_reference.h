// How configuration refers to an environment variable: ${NAME}, ${NAME:-default}, $env:NAME,
// {env:NAME}, ${env:NAME}; and to a secret that the user has stored: ${keyring:NAME}. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pi_mcp {

// The start of a reference to a secret, whether a name that may be one follows or not.
inline constexpr std::string_view secret_opening = "${keyring:";

// Letters, digits and "_.-", 64 at most.
[[nodiscard]] bool is_name_of_secret(std::string_view name);

// A reference at the very start of `text`. Views into `text`.
struct VariableReference {
  std::size_t length = 0;  // in bytes; 0: there is none
  std::string_view name;
  std::optional<std::string_view> fallback = std::nullopt;
  bool is_secret = false;  // `name` is that of a stored secret
};
VariableReference reference_at(std::string_view text);

}  // namespace pi_mcp
