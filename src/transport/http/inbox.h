// Messages that came as answers to several requests, on their way to one receiver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "base/result.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "rpc/message.h"

namespace pi_mcp::transport {

class HttpInbox {
 public:
  // More unread messages than this make their senders wait.
  static constexpr std::size_t messages_max = 256;

  explicit HttpInbox(io::Executor executor) : changed_(std::move(executor)) {}

  // cancelled: the waiting task was cancelled, or close() was called.
  io::Task<Result<void>> push(rpc::Message message);
  // unavailable: end() was called and all is read. cancelled: close() was called or the waiting
  // task was cancelled.
  io::Task<Result<rpc::Message>> receive();
  // The link is over; `why` is for people.
  void end(std::string why);
  void close();
  // An event or body that was no message, and is skipped.
  void count_junk() { ++junk_; }
  [[nodiscard]] std::uint64_t junk() const { return junk_; }
  [[nodiscard]] const std::string& end_reason() const { return end_reason_; }
  [[nodiscard]] bool is_closed() const { return closed_; }

 private:
  std::deque<rpc::Message> messages_;
  std::string end_reason_;
  bool closed_ = false;
  std::uint64_t junk_ = 0;
  io::Condition changed_;
};

}  // namespace pi_mcp::transport
