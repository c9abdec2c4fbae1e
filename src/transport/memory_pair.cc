#include "transport/memory_pair.h"

#include <deque>
#include <string>

#include "base/text.h"
#include "io/loop/condition.h"
#include "rpc/line_framer.h"
#include "transport/line_intake.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

// One direction.
struct Channel {
  explicit Channel(const io::Executor& executor) : changed(executor) {}

  std::deque<std::string> lines;
  std::size_t bytes = 0;
  bool closed = false;
  io::Condition changed;
};

class MemoryEnd : public Transport {
 public:
  MemoryEnd(std::shared_ptr<Channel> in, std::shared_ptr<Channel> out)
      : in_(std::move(in)), out_(std::move(out)) {}
  MemoryEnd(const MemoryEnd&) = delete;
  MemoryEnd& operator=(const MemoryEnd&) = delete;
  ~MemoryEnd() override { shut(); }

  io::Task<Result<rpc::Message>> receive() override;
  Result<void> send(rpc::Outgoing message) override;
  io::Task<Result<void>> drain(std::size_t bytes) override;
  io::Task<void> close() override {
    shut();
    co_return;
  }
  [[nodiscard]] LinkEnd end() const override {
    return {.reason = in_->closed ? "closed the link" : "", .stderr_tail = ""};
  }
  [[nodiscard]] LinkCounters counters() const override { return intake_.counters(); }

 private:
  void shut() {
    closed_ = true;
    for (const auto& channel : {in_, out_}) {
      channel->closed = true;
      channel->changed.notify_all();
    }
  }

  std::shared_ptr<Channel> in_;
  std::shared_ptr<Channel> out_;
  LineIntake intake_{Peer::server, "the other end"};
  bool closed_ = false;  // by us
};

io::Task<Result<rpc::Message>> MemoryEnd::receive() {
  for (;;) {
    if (closed_) {
      co_return fail(ErrorCode::cancelled, "the link was closed");
    }
    if (!in_->lines.empty()) {
      std::string text = std::move(in_->lines.front());
      in_->lines.pop_front();
      in_->bytes -= text.size();
      in_->changed.notify_all();
      rpc::LineFramer::Line line;
      line.bytes = text.size();
      line.text = SharedText(std::move(text));
      LineIntake::Taken taken = intake_.take(line, queue_bytes_max);
      if (taken.answer.bytes() > 0) {
        (void)send(std::move(taken.answer));  // an end that does not read is the test's own doing
      }
      if (taken.message) {
        co_return std::move(*taken.message);
      }
      continue;
    }
    if (in_->closed) {
      co_return fail(ErrorCode::unavailable, "the other end closed the link");
    }
    const io::Wake wake = co_await in_->changed.wait();
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
}

Result<void> MemoryEnd::send(rpc::Outgoing message) {
  if (out_->closed) {
    return fail(ErrorCode::io, "the link is closed");
  }
  if (!out_->lines.empty() && out_->bytes + message.bytes() > queue_bytes_max) {
    return fail(ErrorCode::unavailable,
                "the other side does not read: " + text::size_text(out_->bytes) + " are waiting");
  }
  out_->lines.push_back(message.flat());
  out_->bytes += message.bytes();
  out_->changed.notify_all();
  return {};
}

io::Task<Result<void>> MemoryEnd::drain(std::size_t bytes) {
  while (!out_->closed && out_->bytes > bytes) {
    const io::Wake wake = co_await out_->changed.wait();
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
  if (out_->closed) {
    co_return fail(ErrorCode::unavailable, "the link is closed");
  }
  co_return Result<void>();
}

}  // namespace

std::pair<std::unique_ptr<Transport>, std::unique_ptr<Transport>> make_memory_pair(
    const io::Executor& executor) {
  const auto there = std::make_shared<Channel>(executor);
  const auto back = std::make_shared<Channel>(executor);
  return {std::make_unique<MemoryEnd>(back, there), std::make_unique<MemoryEnd>(there, back)};
}

}  // namespace pi_mcp::transport
