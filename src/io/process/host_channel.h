// A host's stdin and stdout, used by a process that the host did not start. Nothing of what others
// hold is changed: a pipe is opened anew, so that O_NONBLOCK is ours alone; a socket cannot be, so
// each call says that it must not wait.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/stream.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// A pipe without a name, or a stream socket. invalid_argument says what else it is: a file, a
// terminal, a named FIFO (which opened anew never tells that earlier writers have left), a pipe
// that another user has made.
Result<void> check_host_channel(int file);

// Where the kernel says, in the system call that sends, how much it has sent. Lies in memory that
// others read. Zero bytes are its first value.
class SendCount {
 public:
  [[nodiscard]] std::size_t sent() const;
  void reset() { room_ = {}; }

 private:
  friend class HostOutput;
  alignas(8) std::array<char, 64> room_{};  // of a struct mmsghdr
};

class HostInput {
 public:
  // The codes of check_host_channel().
  static Result<HostInput> adopt(const Executor& executor, Fd given);

  // Waits for bytes and reads at most `space` of them; 0 at the end of the stream. cancelled, io:
  // as ReadStream::read_some(). One caller at a time.
  Task<Result<std::size_t>> read_some(std::span<char> space);
  void cancel() { watched_.cancel(); }
  // At once also where somebody else holds the socket open.
  void close();

 private:
  HostInput(const Executor& executor, Fd watched, Fd socket);
  // The pipe; or what becomes readable when the socket does.
  ReadStream watched_;
  Fd socket_;  // not open: a pipe
  // The last read has not filled its space, so there is nothing more, or it will be said at once
  // when it is waited for: one that finds nothing would cost as much as the wait.
  bool is_drained_ = false;
};

class HostOutput {
 public:
  // The codes of check_host_channel().
  static Result<HostOutput> adopt(const Executor& executor, Fd given);

  [[nodiscard]] bool is_socket() const { return socket_.is_open(); }
  // To be handed to whoever will outlive us: what is on its way lies there. A pipe has one.
  [[nodiscard]] int staging() const { return stage_out_.get(); }

  // Up to this many bytes a pipe takes all or nothing (POSIX PIPE_BUF).
  static constexpr std::size_t whole_bytes_max = 4096;
  // All of it, or nothing and false: there is no room. Only a pipe. io: nobody reads any more.
  Result<bool> write_whole(std::string_view text);

  // What one go through the staging pipe takes.
  static constexpr std::size_t stage_bytes_max = std::size_t{64} << 10U;
  // Puts text into the empty staging pipe; how much of it. Only a pipe.
  Result<std::size_t> stage(std::string_view text);
  // Moves at most so much of that on, in one step of the kernel; 0: there is no room.
  Result<std::size_t> move_staged(std::size_t bytes);

  // Only a socket: false: there is no room.
  Result<bool> send_counted(std::string_view text, SendCount& count);

  // See WriteStream::wait_for_room().
  Task<Result<void>> wait_for_room();
  void cancel() { watched_.cancel(); }
  void close();

 private:
  HostOutput(const Executor& executor, Fd watched, Fd socket);
  int pipe_ = -1;  // which watched_ owns; -1: a socket
  // The pipe; or what becomes readable when the socket has room.
  WriteStream watched_;
  Fd socket_;
  Fd stage_in_;
  Fd stage_out_;
};

// What lies in a staging pipe.
std::size_t bytes_in_pipe(int pipe);

}  // namespace pi_mcp::io
