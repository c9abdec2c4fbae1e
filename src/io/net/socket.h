// One connected stream of bytes: plain TCP, a Unix socket, or TLS over one of them (io/net/tls.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
class Socket : Pinned {
 public:
  Socket(const Executor& executor, Fd fd);
  virtual ~Socket() = default;

  // Waits for bytes and reads at most `space` of them; 0 at the end of the stream.
  Task<Result<std::size_t>> read_some(std::span<char> space);
  Task<Result<void>> write_all(std::string_view bytes);
  // Writes what there is room for now; how many bytes that was. wait_for_room() waits for more.
  Result<std::size_t> write_some(std::string_view bytes);
  Task<Result<void>> wait_for_room();
  // The other end sees the end of the stream, and may still send.
  void end_output();
  // Neither bytes nor the end of the stream are there to be read: it can be used again.
  [[nodiscard]] bool is_quiet();
  // Gives the descriptor away; nothing else may be called afterwards.
  Fd release() { return Fd(descriptor_.release()); }

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

  // Waits until the descriptor is ready for what `next` says.
  Task<Result<void>> wait(Next next);
  [[nodiscard]] int number() { return descriptor_.native_handle(); }

 private:
  boost::asio::posix::stream_descriptor descriptor_;
  Next room_ = Next::wait_writable;  // what the last write_some() waits for
  std::uint32_t reads_without_wait_ = 0;
};

std::unique_ptr<Socket> make_plain_socket(const Executor& executor, Fd fd);

}  // namespace pi_mcp::io
