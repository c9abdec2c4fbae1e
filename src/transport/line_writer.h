// Messages into a stream of bytes, one a line. The first of a turn of the loop is written at once,
// those that follow it in the same turn together at its end; while the other side does not read
// they are queued within a limit.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/loop/write_batch.h"
#include "rpc/outgoing.h"

namespace pi_mcp::transport {

// A side that does not read is allowed this much unread; a single message may be larger.
constexpr std::size_t queue_bytes_max = std::size_t{64} << 20U;

// The same message without line feeds inside, which MCP forbids there (basic/transports, "stdio");
// text that came over another transport may be laid out in lines.
rpc::Outgoing on_one_line(rpc::Outgoing message);

class LineWriter final : io::WriteBatches::Waiter {
 public:
  // The stream and the group, which runs the task that empties the queue, outlive this.
  // `on_broken`, which may be empty, is told once when a write has failed; not by close().
  LineWriter(const io::Executor& executor,
             io::WriteStream* stream,
             io::TaskGroup* tasks,
             std::function<void()> on_broken = {});

  // Never waits. io: closed, or nobody reads any more, and no byte of the message was written.
  // unavailable: the queue is full.
  Result<void> send(rpc::Outgoing message);
  // Waits until at most `bytes` are queued. unavailable: it will never be.
  io::Task<Result<void>> drain(std::size_t bytes);
  // Waits until everything is written, it never will be, or the time is over; not shortened by
  // cancelling the caller.
  io::Task<void> flush(Milliseconds limit);
  // What does not fit now is dropped, later messages are refused.
  void close();

  [[nodiscard]] std::size_t queued_bytes() const { return queued_bytes_; }

 private:
  Result<void> write_queue();
  std::size_t write_off(std::size_t written);
  void begin_wait();
  void begin_batch();
  void end_batch() override;
  void end_posted_batch();
  io::Task<void> empty_queue();
  void end(std::string why);
  void end_broken(const Error& error);

  io::Executor executor_;
  io::WriteStream* stream_;
  io::TaskGroup* tasks_;
  std::function<void()> on_broken_;
  std::deque<rpc::Outgoing> queue_;  // with their line feeds
  std::size_t front_written_ = 0;    // bytes of the first message that are out already
  std::size_t queued_bytes_ = 0;
  bool in_batch_ = false;  // something was written in this turn of the loop
  bool waits_for_room_ = false;
  std::string end_reason_;  // not empty once nothing can be written any more
  io::Condition changed_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);  // for end_batch()
};

}  // namespace pi_mcp::transport
