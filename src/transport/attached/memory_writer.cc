#include "transport/attached/memory_writer.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "base/text.h"
#include "io/loop/clock.h"
#include "transport/line_writer.h"

namespace pi_mcp::transport {
namespace {

// What one turn of the loop may hold back.
constexpr std::size_t batch_bytes_max = std::size_t{64} << 10U;

}  // namespace

MemoryWriter::MemoryWriter(const io::Executor& executor,
                           HostMemory* memory,
                           io::HostOutput* output,
                           io::TaskGroup* tasks,
                           std::function<void()> on_broken)
    : Waiter(io::WriteBatches::of(executor)),
      executor_(executor),
      memory_(memory),
      output_(output),
      tasks_(tasks),
      on_broken_(std::move(on_broken)),
      changed_(executor) {}

Result<void> MemoryWriter::send(rpc::Outgoing message) {
  if (!end_reason_.empty()) {
    return fail(ErrorCode::io, end_reason_);
  }
  message = on_one_line(std::move(message));
  message.add("\n");
  const std::size_t queued = queued_bytes();
  if (queued > 0 && queued + message.bytes() > queue_bytes_max) {
    return fail(ErrorCode::unavailable,
                "the host does not read: " + text::size_text(queued) + " are waiting");
  }
  if (const Result<void> appended = memory_->append(message); !appended) {
    return fail(ErrorCode::unavailable,
                "no room for a message of " + text::size_text(message.bytes()) +
                    " to the host: " + appended.error().message());
  }
  if (waits_for_room_) {
    memory_->commit();
  } else if (!in_batch_ || memory_->fresh().size() >= batch_bytes_max) {
    write();
    if (!end_reason_.empty()) {
      return fail(ErrorCode::io, end_reason_);
    }
    if (!waits_for_room_ && !in_batch_) {
      begin_batch();
    }
  }
  return {};
}

void MemoryWriter::begin() {
  if (!memory_->owed().empty()) {
    write();
  }
}

void MemoryWriter::write() {
  Result<bool> done = write_whole();
  if (done && !*done) {
    memory_->commit();
    done = move_owed();
  }
  if (!done) {
    end("cannot write: " + done.error().message());
    if (on_broken_) {
      on_broken_();
    }
    return;
  }
  changed_.notify_all();
  if (!*done) {
    begin_wait();
  }
}

// True: all of it has left, and nothing of it was owed.
Result<bool> MemoryWriter::write_whole() {
  const std::string_view fresh = memory_->fresh();
  if (output_->is_socket() || !memory_->owed().empty() ||
      fresh.size() > io::HostOutput::whole_bytes_max) {
    return false;
  }
  if (fresh.empty()) {
    return true;
  }
  Result<bool> written = output_->write_whole(fresh);
  if (written && *written) {
    memory_->left();
  }
  return written;
}

// False: there is no room for what is left.
Result<bool> MemoryWriter::move_owed() {
  Result<bool> moved = true;
  while (moved && *moved && !memory_->owed().empty()) {
    moved = move_some();
  }
  return moved;
}

Result<bool> MemoryWriter::move_some() {
  if (output_->is_socket()) {
    Result<bool> sent = output_->send_counted(memory_->owed(), memory_->counter());
    if (sent && *sent) {
      memory_->counted();
    }
    return sent;
  }
  if (memory_->staged() == 0) {
    const Result<std::size_t> staged = output_->stage(memory_->owed());
    if (!staged) {
      return fail(staged.error());
    }
    memory_->stage(*staged);
  }
  const Result<std::size_t> moved = output_->move_staged(memory_->staged());
  if (!moved) {
    return fail(moved.error());
  }
  memory_->unstage(*moved);
  return *moved > 0;
}

void MemoryWriter::begin_wait() {
  if (std::exchange(waits_for_room_, true)) {
    return;
  }
  tasks_->spawn("writing", wait_and_write(), [this](const std::string& what) {
    waits_for_room_ = false;
    end("cannot write: " + what);
  });
}

io::Task<void> MemoryWriter::wait_and_write() {
  Result<bool> done = false;
  while (done && !*done && end_reason_.empty()) {
    const Result<void> room = co_await output_->wait_for_room();
    if (!end_reason_.empty()) {
      break;
    }
    memory_->commit();
    done = room ? move_owed() : fail(room.error());
    changed_.notify_all();
  }
  waits_for_room_ = false;
  if (!done) {
    end("cannot write: " + done.error().message());
    if (on_broken_) {
      on_broken_();
    }
  }
}

// What follows in this turn of the loop is written together at its end.
void MemoryWriter::begin_batch() {
  in_batch_ = true;
  if (!wait_for_batch_end()) {
    boost::asio::post(executor_, [this, alive = std::weak_ptr<const bool>(alive_)] {
      if (!alive.expired()) {
        end_batch();
      }
    });
  }
}

void MemoryWriter::end_batch() {
  in_batch_ = false;
  if (end_reason_.empty() && !waits_for_room_) {
    write();
  }
}

io::Task<Result<void>> MemoryWriter::wait_for_change() {
  if (end_reason_.empty() && co_await changed_.wait() == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  if (!end_reason_.empty()) {
    co_return fail(ErrorCode::unavailable, end_reason_);
  }
  co_return Result<void>();
}

io::Task<Result<void>> MemoryWriter::drain(std::size_t bytes) {
  Result<void> changed;
  while (changed && queued_bytes() > bytes) {
    changed = co_await wait_for_change();
  }
  co_return changed;
}

io::Task<void> MemoryWriter::flush(Milliseconds limit) {
  const TimePoint deadline = io::now() + limit;
  io::Wake wake = io::Wake::notified;
  while (wake == io::Wake::notified && end_reason_.empty() && queued_bytes() > 0) {
    wake = co_await changed_.wait_shielded(deadline);
  }
}

void MemoryWriter::end(std::string why) {
  if (end_reason_.empty()) {
    end_reason_ = std::move(why);
  }
  changed_.notify_all();
}

void MemoryWriter::close() {
  if (!waits_for_room_ && end_reason_.empty()) {
    write();  // the last batch; nobody is left to be told that it did not fit
  }
  end("the link is closed");
  output_->cancel();
}

}  // namespace pi_mcp::transport
