// The stream on which a server tells what has changed (subscriptions/listen): begun again when it
// breaks off, given up when the server refuses. Pure: no I/O; time is an argument.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client_session.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

class Subscription {
 public:
  // `pause` before it is begun again; grows.
  explicit Subscription(Milliseconds pause) : pause_min_(pause), pause_(pause) {}

  // The params of the request to send now. nullopt: the server tells nothing.
  std::optional<SharedText> begin(const ServerCapabilities& can, TimePoint now);
  // The stream is over. The text, when there is one, says why it is not begun again.
  std::optional<std::string> on_answer(const Result<rpc::Message>& answer, TimePoint now);
  // Whether it is to be begun again. What happened meanwhile, nobody told.
  bool take_due(TimePoint now);

  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] TimePoint next_wake() const { return again_.value_or(TimePoint::max()); }

 private:
  Milliseconds pause_min_;
  Milliseconds pause_;
  bool is_open_ = false;
  TimePoint began_;
  std::optional<TimePoint> again_;
};

}  // namespace pi_mcp::mcp
