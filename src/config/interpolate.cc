#include "config/interpolate.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "base/variable_reference.h"

namespace pi_mcp::config {
Interpolated interpolate(std::string_view text,
                         const Environment& environment,
                         const std::map<std::string, std::string>& secrets) {
  Interpolated result;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("${"), text.size());
    result.text += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) {
      break;
    }
    const VariableReference reference = reference_at(text);
    if (reference.length == 0) {
      result.text += text.front();
      text.remove_prefix(1);
      continue;
    }
    if (reference.is_secret) {
      const auto secret = secrets.find(std::string(reference.name));
      result.text += secret == secrets.end() ? text.substr(0, reference.length)
                                             : std::string_view(secret->second);
    } else if (const std::optional<std::string> value = environment.variable(reference.name)) {
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
