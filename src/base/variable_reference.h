// How configuration refers to an environment variable: ${NAME}, ${NAME:-default}, $env:NAME,
// {env:NAME}, ${env:NAME}. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace pi_mcp {

// A reference to a variable at the very start of `text`. Views into `text`.
struct VariableReference {
  std::size_t length = 0;  // in bytes; 0: there is none
  std::string_view name;
  std::optional<std::string_view> fallback = std::nullopt;
};
VariableReference reference_at(std::string_view text);

}  // namespace pi_mcp
