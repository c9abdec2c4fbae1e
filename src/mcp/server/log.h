// Log messages of servers on their way up: only from the level the host wants, with the server's
// name as logger, and of each server at most so many per second. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rate.h"
#include "base/time.h"
#include "json/document.h"
#include "mcp/log_level.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// Who says what we say ourselves, where hosts show names of servers.
constexpr std::string_view own_logger = "pi-mcp";

// Messages of one server. Nobody reads more than this, and every host would have to show it.
constexpr RateLimits log_rate{.burst = 20, .interval = Milliseconds(200)};

class HostLog {
 public:
  // From now on only messages of at least this level.
  void set_level(LogLevel level) { least_ = level; }

  // The notifications/message to send for the params of one that `server` sent; nullopt when it is
  // below the level, or too much of one server; then it is counted.
  // "logger" becomes the server, or "server/logger"; a text in "data" becomes printable. With an
  // empty name the message goes as it came.
  std::optional<rpc::Outgoing> of_server(std::string_view server,
                                         json::Value params,
                                         TimePoint now);
  // The same for one of our own, which is never too much; one line, since a server's words may be
  // in it.
  [[nodiscard]] std::optional<rpc::Outgoing> of_us(LogLevel level, std::string_view text) const;
  // What was counted since the last look: a notification per server, to be sent like the others.
  std::vector<rpc::Outgoing> left_out();
  [[nodiscard]] bool has_left_out() const { return left_out_; }

 private:
  struct Flow {
    Rate rate{log_rate};
    std::size_t left_out = 0;
  };
  LogLevel least_ = log_level_until_said;
  std::map<std::string, Flow, std::less<>> flows_;  // by server
  bool left_out_ = false;                           // some flow has any
};

}  // namespace pi_mcp::mcp
