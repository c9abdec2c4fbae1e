// Log messages on their way to one host: kept until it may hear anything, limited, and what was
// left out told when the flood has passed.
#pragma once

#include <deque>
#include <functional>
#include <string_view>

#include "base/time.h"
#include "host/log.h"
#include "io/loop/paced_work.h"
#include "io/loop/task.h"
#include "json/document.h"
#include "rpc/outgoing.h"

namespace pi_mcp::host {

// Our own notices that wait for the host to introduce itself; more are dropped.
constexpr std::size_t early_notices_max = 32;
// So long after the first message that was left out, and again as long as it goes on.
constexpr Milliseconds left_out_pause{3000};

// stop() must have returned before destruction.
class HostNotices {
 public:
  using Send = std::function<void(rpc::Outgoing)>;
  HostNotices(const io::Executor& executor, Send send);

  void set_level(registry::LogLevel level) { log_.set_level(level); }
  // Params of notifications/message of a server.
  void forward(std::string_view server, json::Value params);
  void forward(const registry::Notice& notice);
  // The host may hear it from now on, and what was kept first.
  void begin();
  io::Task<void> stop() { return reports_.stop(); }

 private:
  Send send_;
  HostLog log_;
  bool begun_ = false;
  std::deque<rpc::Outgoing> early_;
  io::PacedWork reports_;
};

}  // namespace pi_mcp::host
