// One connected stream of bytes: plain TCP, a Unix socket, or TLS over one of them (io/net/tls.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// One reader and one writer at a time. Errors: io with the system's (or TLS's) reason, cancelled.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): Pinned has deleted them.
class Socket : Pinned {
 public:
  Socket(const Executor& executor, Fd fd);
  virtual ~Socket();

  // Waits for bytes and reads at most `space` of them; 0 at the end of the stream.
  Task<Result<std::size_t>> read_some(std::span<char> space);
  Task<Result<void>> write_all(std::string_view bytes);
  // The other end sees the end of the stream, and may still send.
  void end_output();
  // Neither bytes nor the end of the stream are there to be read: it can be used again.
  [[nodiscard]] bool is_quiet();
  // Gives the descriptor away; nothing else may be called afterwards.
  Fd release();

  // ---- for an owner that waits by itself (io/net/readiness.h), once leave_loop() was called
  void leave_loop();
  [[nodiscard]] int number() const { return fd_.get(); }
  // Reads what is there; 0 at the end of the stream, nullopt: nothing is there now.
  Result<std::optional<std::size_t>> take_some(std::span<char> space);
  // Writes what there is room for now; how many bytes that was.
  Result<std::size_t> write_some(std::span<const std::string_view> pieces);
  // take_some() needs room to write before it can go on (TLS).
  [[nodiscard]] bool reads_by_writing() const { return reads_by_writing_; }

 protected:
  enum class Next : std::uint8_t { done, wait_readable, wait_writable, ended, failed };
  struct Step {
    Next next = Next::done;
    std::size_t count = 0;  // done: bytes moved
    std::string error;      // failed: why
  };
  // They do what can be done without waiting.
  virtual Step read_now(std::span<char> space) = 0;
  virtual Step write_now(std::string_view bytes) = 0;
  // Of several pieces, as much as goes at once.
  virtual Step write_pieces_now(std::span<const std::string_view> pieces) = 0;

  // Waits until the descriptor is ready for what `next` says.
  Task<Result<void>> wait(Next next);

 private:
  Executor executor_;
  Fd fd_;
  // Of fd_; made by the first wait.
  std::unique_ptr<boost::asio::posix::stream_descriptor> descriptor_;
  std::uint32_t reads_without_wait_ = 0;
  bool reads_by_writing_ = false;
};

std::unique_ptr<Socket> make_plain_socket(const Executor& executor, Fd fd);

}  // namespace pi_mcp::io
