// The two directions of a pipe, socket or terminal on the loop.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Whole files and /dev/null cannot be waited for; they never block, so reading and writing them
// works as well. The descriptor is switched to non-blocking by its owner (see standard_streams.h
// for our own).
class Stream {
 public:
  // Ends what waits for bytes or room.
  void cancel();
  void close();
  [[nodiscard]] bool is_open() const { return descriptor_.is_open(); }
  // Waits until there is something to read, or the end.
  Task<Result<void>> wait_for_bytes();

 protected:
  Stream(const Executor& executor, Fd fd);

  boost::asio::posix::stream_descriptor descriptor_;
};

class ReadStream : public Stream {
 public:
  ReadStream(const Executor& executor, Fd fd) : Stream(executor, std::move(fd)) {}

  // Waits for bytes and reads at most `space` of them; 0 at the end of the stream. cancelled:
  // cancel() was called, or the waiting task was cancelled. io: the system's reason. One caller at
  // a time.
  Task<Result<std::size_t>> read_some(std::span<char> space);
  // read_some() for a task that has just seen that it is not cancelled; saves a frame.
  Task<Result<std::size_t>> read_on(std::span<char> space);
  // Reads what is there now. nullopt: nothing is. 0: the end of the stream. Not beside a
  // read_some() that waits: that one may have taken earlier bytes already.
  std::optional<std::size_t> read_now(std::span<char> space);
  [[nodiscard]] int number() { return descriptor_.native_handle(); }
};

class WriteStream : public Stream {
 public:
  WriteStream(const Executor& executor, Fd fd) : Stream(executor, std::move(fd)) {}

  // Writes the pieces one after another as far as there is room now; how many bytes that was. io:
  // nobody reads any more, or the system's reason.
  Result<std::size_t> write_now(std::span<const std::string_view> pieces);
  // Waits until there is room, or until the reader is gone (the next write says so). cancelled:
  // cancel() was called, or the waiting task was cancelled.
  Task<Result<void>> wait_for_room();
};

// Writes to stderr what fits there without waiting: a reader that has stopped reading must not stop
// the program. The rest is dropped.
void write_stderr(std::string_view text);

}  // namespace pi_mcp::io
