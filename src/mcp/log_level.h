// The levels of log messages. Pure data.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pi_mcp::mcp {

// The levels of syslog (RFC 5424), as MCP has them.
enum class LogLevel : std::uint8_t {
  debug,
  info,
  notice,
  warning,
  error,
  critical,
  alert,
  emergency
};

// Debug messages of every server are a flood that nobody asked for.
constexpr LogLevel log_level_until_said = LogLevel::info;

constexpr std::array<std::string_view, 8> log_level_names = {
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"};

constexpr std::string_view name_of(LogLevel level) {
  return log_level_names.at(static_cast<std::size_t>(level));
}

constexpr std::optional<LogLevel> parse_log_level(std::string_view name) {
  const auto* const found = std::ranges::find(log_level_names, name);
  return found == log_level_names.end()
             ? std::nullopt
             : std::optional(static_cast<LogLevel>(found - log_level_names.begin()));
}

}  // namespace pi_mcp::mcp
