#include "transport/line_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/clock.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::transport {
namespace {

// MCP basic/transports, "stdio": messages "MUST NOT contain embedded newlines". Text that came over
// another transport may be laid out in lines.
rpc::Outgoing without_line_feeds(rpc::Outgoing message) {
  bool found = false;
  message.for_each_piece(
      [&](std::string_view piece) { found = found || piece.find('\n') != std::string_view::npos; });
  if (!found) {
    return message;
  }
  const std::string text = message.flat();
  const auto document = json::Document::parse_view(text);
  // What is not JSON was never a message; as one line it at least does not break the next ones.
  return rpc::Outgoing(document ? json::compact(document->root())
                                : text::replace_all(text, "\n", " "));
}

}  // namespace

LineWriter::LineWriter(const io::Executor& executor,
                       io::WriteStream* stream,
                       io::TaskGroup* tasks,
                       std::function<void()> on_broken)
    : stream_(stream), tasks_(tasks), on_broken_(std::move(on_broken)), changed_(executor) {}

// Writes the message and its line feed from `offset` on, as far as there is room.
Result<std::size_t> LineWriter::write(const rpc::Outgoing& message, std::size_t offset) {
  std::vector<std::string_view> pieces;
  pieces.reserve(4);
  message.for_each_piece([&](std::string_view piece) {
    const std::size_t skipped = std::min(offset, piece.size());
    offset -= skipped;
    if (skipped < piece.size()) {
      pieces.push_back(piece.substr(skipped));
    }
  });
  pieces.emplace_back("\n");
  return stream_->write_now(pieces);
}

Result<void> LineWriter::send(rpc::Outgoing message) {
  if (!end_reason_.empty()) {
    return fail(ErrorCode::io, end_reason_);
  }
  message = without_line_feeds(std::move(message));
  const std::size_t bytes = message.bytes() + 1;
  std::size_t written = 0;
  if (queue_.empty()) {
    auto count = write(message, 0);
    if (!count) {
      end_broken(count.error());
      return fail(ErrorCode::io, end_reason_);
    }
    if (*count == bytes) {
      return {};
    }
    written = *count;
  } else if (queued_bytes_ + bytes > queue_bytes_max) {
    return fail(ErrorCode::unavailable,
                "the other side does not read: " + text::size_text(queued_bytes_) + " are waiting");
  }
  queue_.push_back(std::move(message));
  queued_bytes_ += bytes - written;
  if (queue_.size() == 1) {
    front_written_ = written;
    tasks_->spawn("writing", empty_queue());
  }
  return {};
}

io::Task<void> LineWriter::empty_queue() {
  while (!queue_.empty()) {
    const auto room = co_await stream_->wait_for_room();
    if (queue_.empty()) {
      co_return;
    }
    if (!room) {
      end_broken(room.error());
      co_return;
    }
    const std::size_t bytes = queue_.front().bytes() + 1;
    const auto count = write(queue_.front(), front_written_);
    if (!count) {
      end_broken(count.error());
      co_return;
    }
    front_written_ += *count;
    queued_bytes_ -= *count;
    if (front_written_ == bytes) {
      queue_.pop_front();
      front_written_ = 0;
    }
    changed_.notify_all();
  }
}

io::Task<Result<void>> LineWriter::drain(std::size_t bytes) {
  while (end_reason_.empty() && queued_bytes_ > bytes) {
    const io::Wake wake = co_await changed_.wait();
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
  }
  if (!end_reason_.empty()) {
    co_return fail(ErrorCode::unavailable, end_reason_);
  }
  co_return Result<void>();
}

io::Task<void> LineWriter::flush(Milliseconds limit) {
  const TimePoint deadline = io::now() + limit;
  io::Wake wake = io::Wake::notified;
  while (wake == io::Wake::notified && end_reason_.empty() && queued_bytes_ > 0) {
    wake = co_await changed_.wait_shielded(deadline);
  }
}

void LineWriter::end(std::string why) {
  if (end_reason_.empty()) {
    end_reason_ = std::move(why);
  }
  queue_.clear();
  queued_bytes_ = 0;
  changed_.notify_all();
}

void LineWriter::end_broken(const Error& error) {
  const bool is_first = end_reason_.empty();
  end("cannot write: " + error.message());
  if (is_first && on_broken_) {
    on_broken_();
  }
}

void LineWriter::close() {
  end("the link is closed");
  stream_->cancel();
}

}  // namespace pi_mcp::transport
