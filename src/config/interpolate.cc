#include "config/interpolate.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace pi_mcp::config {
namespace {

bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool continues_name(char c) {
  return starts_name(c) || (c >= '0' && c <= '9');
}

std::string_view leading_name(std::string_view text) {
  if (text.empty() || !starts_name(text.front())) {
    return {};
  }
  const auto end = std::find_if_not(text.begin(), text.end(), continues_name);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

// $env:NAME
Reference unbraced(std::string_view text) {
  constexpr std::string_view prefix = "$env:";
  const std::string_view name = leading_name(text.substr(prefix.size()));
  return {.length = name.empty() ? 0 : prefix.size() + name.size(), .name = name};
}

// PREFIX NAME } with an optional :-default before the brace.
Reference braced(std::string_view text, std::string_view prefix) {
  const std::string_view name = leading_name(text.substr(prefix.size()));
  std::size_t position = prefix.size() + name.size();
  Reference reference{.length = 0, .name = name};
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

Reference reference_at(std::string_view text) {
  // ${env:NAME} is how several hosts write ${NAME}; it must come before {env:NAME}.
  for (const std::string_view prefix : {"${env:", "{env:", "${"}) {
    if (text.starts_with(prefix)) {
      const Reference reference = braced(text, prefix);
      if (reference.length != 0) {
        return reference;
      }
    }
  }
  return text.starts_with("$env:") ? unbraced(text) : Reference{};
}

Interpolated interpolate(std::string_view text, const Environment& environment) {
  Interpolated result;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("${"), text.size());
    result.text += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) {
      break;
    }
    const Reference reference = reference_at(text);
    if (reference.length == 0) {
      result.text += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (const std::optional<std::string> value = environment.variable(reference.name)) {
      result.text += *value;
      result.inserted.push_back({.name = std::string(reference.name), .value = *value});
    } else if (reference.fallback) {
      result.text += *reference.fallback;
    } else if (std::find(result.missing.begin(), result.missing.end(), reference.name) ==
               result.missing.end()) {
      result.missing.emplace_back(reference.name);
    }
    text.remove_prefix(reference.length);
  }
  return result;
}

std::string expand_home(std::string_view path, const Environment& environment) {
  const bool windows = environment.platform == Platform::windows;
  const bool alone = path == "~";
  if (!alone && !path.starts_with("~/") && !(windows && path.starts_with("~\\"))) {
    return std::string(path);
  }
  return environment.home + std::string(path.substr(1));
}

SecretCommand secret_command(std::string_view value) {
  if (value.starts_with("!!")) {
    return {.is_command = false, .text = std::string(value.substr(1))};
  }
  const std::string_view command =
      value.starts_with('!') ? text::trim(value.substr(1)) : std::string_view();
  if (command.empty()) {
    return {.is_command = false, .text = std::string(value)};
  }
  return {.is_command = true, .text = std::string(command)};
}

}  // namespace pi_mcp::config
