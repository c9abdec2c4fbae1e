#include "transport/line_writer.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/container/small_vector.hpp>

#include "base/text.h"
#include "io/loop/clock.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::transport {
namespace {

// What one turn of the loop may hold back, and how many pieces one system call gets.
constexpr std::size_t batch_bytes_max = std::size_t{64} << 10U;
constexpr std::size_t pieces_max = 64;
constexpr std::size_t pieces_of_few = 8;  // for which nothing is allocated

}  // namespace

rpc::Outgoing on_one_line(rpc::Outgoing message) {
  bool found = false;
  message.for_each_piece(
      [&](std::string_view piece) { found = found || piece.find('\n') != std::string_view::npos; });
  if (!found) {
    return message;
  }
  const std::string text = message.flat();
  const auto document = json::Document::parse_view(text);
  // What is not JSON was never a message; as one line it at least does not break the next ones.
  rpc::Outgoing line(document ? json::compact(document->root())
                              : text::replace_all(text, "\n", " "));
  message.for_each_answered([&line](const rpc::Id& id) { line.note_answered(id); });
  return line;
}

LineWriter::LineWriter(const io::Executor& executor,
                       io::WriteStream* stream,
                       io::TaskGroup* tasks,
                       std::function<void()> on_broken)
    : Waiter(io::WriteBatches::of(executor)),
      executor_(executor),
      stream_(stream),
      tasks_(tasks),
      on_broken_(std::move(on_broken)),
      changed_(executor) {}

// Writes from the queue as far as there is room.
Result<void> LineWriter::write_queue() {
  boost::container::small_vector<std::string_view, pieces_of_few> pieces;
  while (!queue_.empty()) {
    pieces.clear();
    std::size_t offset = front_written_;
    std::size_t bytes = 0;
    const auto add = [&](std::string_view piece) {
      const std::size_t skipped = std::min(offset, piece.size());
      offset -= skipped;
      bytes += piece.size() - skipped;
      if (skipped < piece.size()) {
        pieces.push_back(piece.substr(skipped));
      }
    };
    for (const rpc::Outgoing& message : queue_) {
      message.for_each_piece(add);
      if (pieces.size() >= pieces_max) {
        break;
      }
    }
    const Result<std::size_t> written = stream_->write_now(pieces);
    if (!written) {
      return fail(written.error());
    }
    if (write_off(*written) < bytes) {
      break;
    }
  }
  changed_.notify_all();
  return {};
}

// Forgets what is out; gives `written` back.
std::size_t LineWriter::write_off(std::size_t written) {
  queued_bytes_ -= written;
  front_written_ += written;
  while (!queue_.empty() && front_written_ >= queue_.front().bytes()) {
    front_written_ -= queue_.front().bytes();
    queue_.pop_front();
  }
  return written;
}

Result<void> LineWriter::send(rpc::Outgoing message) {
  if (!end_reason_.empty()) {
    return fail(ErrorCode::io, end_reason_);
  }
  message = on_one_line(std::move(message));
  message.add("\n");
  const std::size_t bytes = message.bytes();
  if (!queue_.empty() && queued_bytes_ + bytes > queue_bytes_max) {
    return fail(ErrorCode::unavailable,
                "the other side does not read: " + text::size_text(queued_bytes_) + " are waiting");
  }
  queue_.push_back(std::move(message));
  queued_bytes_ += bytes;
  if (waits_for_room_ || (in_batch_ && queued_bytes_ < batch_bytes_max)) {
    return {};
  }
  const Result<void> written = write_queue();
  if (!written) {
    end_broken(written.error());
    return fail(ErrorCode::io, end_reason_);
  }
  if (!queue_.empty()) {
    begin_wait();
  } else if (!in_batch_) {
    begin_batch();
  }
  return {};
}

void LineWriter::begin_wait() {
  waits_for_room_ = true;
  tasks_->spawn("writing", empty_queue(), [this](const std::string& what) {
    waits_for_room_ = false;
    end_broken(Error(ErrorCode::io, what));
  });
}

void LineWriter::begin_batch() {
  in_batch_ = true;
  if (!wait_for_batch_end()) {
    boost::asio::post(executor_, [this, alive = std::weak_ptr<const bool>(alive_)] {
      if (!alive.expired()) {
        end_posted_batch();
      }
    });
  }
}

// Outside of an io::WriteBatch: runs behind everything that was ready when the turn of the loop
// began. A busy writer goes on gathering.
void LineWriter::end_posted_batch() {
  const bool was_busy = !queue_.empty() && !waits_for_room_;
  end_batch();
  if (was_busy && queue_.empty() && end_reason_.empty()) {
    begin_batch();
  }
}

void LineWriter::end_batch() {
  in_batch_ = false;
  if (queue_.empty() || waits_for_room_) {
    return;
  }
  if (const Result<void> written = write_queue(); !written) {
    end_broken(written.error());
  } else if (!queue_.empty()) {
    begin_wait();
  }
}

io::Task<void> LineWriter::empty_queue() {
  while (!queue_.empty()) {
    const Result<void> room = co_await stream_->wait_for_room();
    if (queue_.empty()) {
      break;
    }
    const Result<void> written = room ? write_queue() : room;
    if (!written) {
      end_broken(written.error());
    }
  }
  waits_for_room_ = false;
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
  if (!waits_for_room_) {
    (void)write_queue();  // the last batch; nobody is left to be told that it did not fit
  }
  end("the link is closed");
  stream_->cancel();
}

}  // namespace pi_mcp::transport
