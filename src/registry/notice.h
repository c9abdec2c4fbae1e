// Something of our own for a host to show to people.
#pragma once

#include <cstdint>
#include <string>

namespace pi_mcp::registry {

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

// Who says it, where hosts show names of servers.
constexpr const char* own_logger = "pi-mcp";

struct Notice {
  LogLevel level = LogLevel::info;
  std::string text;
};

}  // namespace pi_mcp::registry
