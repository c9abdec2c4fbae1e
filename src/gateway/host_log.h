// Log messages of servers on their way up: only from the level the host wants, and with the
// server's name as logger. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "json/document.h"
#include "rpc/outgoing.h"

namespace pi_mcp::gateway {

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

std::optional<LogLevel> parse_log_level(std::string_view name);

// The logger of messages that are not a server's but our own.
constexpr std::string_view own_logger = "pi-mcp";

class HostLog {
 public:
  // From now on only messages of at least this level. Until the host says so: info, because debug
  // messages of every server are a flood that nobody asked for.
  void set_level(LogLevel level) { least_ = level; }

  // The notifications/message to send for the params of one that `server` sent; nullopt when it is
  // below the level. "logger" becomes the server, or "server/logger".
  [[nodiscard]] std::optional<rpc::Outgoing> of_server(std::string_view server,
                                                       json::Value params) const;

 private:
  LogLevel least_ = LogLevel::info;
};

}  // namespace pi_mcp::gateway
