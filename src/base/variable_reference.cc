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

// ${keyring:NAME}
VariableReference of_secret(std::string_view text) {
  text.remove_prefix(secret_opening.size());
  const std::string_view name = text.substr(0, text.find('}'));
  const bool is_closed = name.size() < text.size();
  return {
      .length = is_closed && is_name_of_secret(name) ? secret_opening.size() + name.size() + 1 : 0,
      .name = name,
      .is_secret = true};
}

}  // namespace

bool is_name_of_secret(std::string_view name) {
  constexpr std::size_t bytes_max = 64;
  return !name.empty() && name.size() <= bytes_max &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "_.-"); });
}

VariableReference reference_at(std::string_view text) {
  if (text.starts_with(secret_opening)) {
    return of_secret(text);
  }
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
