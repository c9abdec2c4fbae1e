// What configuration depends on besides files: one value a session, so that nothing is global.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/process_traits.h"

namespace pi_mcp::config {

// NOLINTNEXTLINE(readability-identifier-naming): `linux` is a macro of some compilers.
enum class Platform { linux_, macos, windows };

struct Environment {
  std::map<std::string, std::string> variables;
  std::string home;  // absolute
  std::string cwd;   // absolute: the session's working directory
  Platform platform = Platform::linux_;
  // What its programs are bound by, as what it starts itself would be; nullopt: as this process.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<ProcessTraits> process = {};

  // nullopt when the variable is not set. An empty value is a value.
  [[nodiscard]] std::optional<std::string> variable(std::string_view name) const {
    const auto found = variables.find(std::string(name));
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace pi_mcp::config
