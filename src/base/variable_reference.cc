#include "base/variable_reference.h"

#include <algorithm>

#include "base/ascii.h"

namespace pi_mcp {
namespace {

bool starts_name(char c) {
  return ascii::is_letter(c) || c == '_';
}

bool continues_name(char c) {
  return ascii::is_alphanumeric_or(c, "_");
}

std::string_view leading_name(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) {
    return {};
  }
  const auto end = std::find_if_not(text.begin(), text.end(), continues_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// $env:NAME
VariableReference unbraced(std::string_view text) {
  constexpr std::string_view prefix = "$env:";
  const std::string_view name = leading_name(text.substr(prefix.size()));
  return {.length = name.empty() ? 0 : prefix.size() + name.size(), .name = name};
}

// PREFIX NAME } with an optional :-default before the brace.
VariableReference braced(std::string_view text, std::string_view prefix) {
  const std::string_view name = leading_name(text.substr(prefix.size()));
  std::size_t position = prefix.size() + name.size();
  VariableReference reference{.length = 0, .name = name};
  if (name.empty()) {
    return reference;
  }
  if (text.substr(position).starts_with(":-")) {
    const std::size_t close = text.find('}', position);
    if (close == std::string_view::npos) {
      return reference;
    }
    reference.fallback = text.substr(position + 2, close - position - 2);
    position = close;
  }
  reference.length = text.substr(position).starts_with('}') ? position + 1 : 0;
  return reference;
}

}  // namespace

VariableReference reference_at(std::string_view text) {
  // ${env:NAME} is how several hosts write ${NAME}; it must come before {env:NAME}.
  for (const std::string_view prefix : {"${env:", "{env:", "${"}) {
    if (text.starts_with(prefix)) {
      const VariableReference reference = braced(text, prefix);
      if (reference.length != 0) {
        return reference;
      }
    }
  }
  return text.starts_with("$env:") ? unbraced(text) : VariableReference{};
}

}  // namespace pi_mcp
