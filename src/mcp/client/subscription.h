// What a server is to tell of its changes, and the stream on which it does so (subscriptions/listen
// of 2026-07-28): begun again when it breaks off, given up when the server refuses. Pure: no I/O;
// time is an argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client_session.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

// What became of the wish to know when a resource changes.
enum class Watching : std::uint8_t {
  refused,  // the server does not tell
  begun,
  to_ask,  // once resources/subscribe has succeeded, which is left to the caller; else unwatch()
};

class Subscription {
 public:
  // `pause` before it is begun again; grows.
  explicit Subscription(Milliseconds pause) : pause_min_(pause), pause_(pause) {}

  // Somebody wants to know when that resource changes. True: nobody did before.
  bool add(const std::string& uri) { return ++uris_[uri] == 1; }
  // One of them does not any more. True: nobody does.
  bool remove(const std::string& uri);

  // The params of the request to send now. nullopt: the server tells nothing.
  std::optional<SharedText> begin(const ServerCapabilities& can, TimePoint now);
  // The stream is over. The text, when there is one, says why it is not begun again.
  std::optional<std::string> on_answer(const Result<rpc::Message>& answer, TimePoint now);
  // Whether it is to be begun again. What happened meanwhile, nobody told.
  bool take_due(TimePoint now);

  [[nodiscard]] bool is_open() const { return is_open_; }
  [[nodiscard]] TimePoint next_wake() const { return again_.value_or(TimePoint::max()); }

 private:
  std::map<std::string, std::size_t> uris_;  // and how many want to know
  Milliseconds pause_min_;
  Milliseconds pause_;
  bool is_open_ = false;
  TimePoint began_;
  std::optional<TimePoint> again_;
};

}  // namespace pi_mcp::mcp
