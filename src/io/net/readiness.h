// Which of thousands of descriptors are ready, for an owner that wants to hold neither a task nor a
// buffer for each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "io/files/fd.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

class Readiness : Pinned {
 public:
  struct Event {
    std::uint64_t key = 0;
    bool can_read = false;  // bytes, the end of the stream, or an error
    bool can_write = false;
    bool is_broken = false;  // neither side will send any more; told whatever is wanted
  };

  // io: the system's reason.
  static Result<std::unique_ptr<Readiness>> open(const Executor& executor);

  // From now on until it is closed, `descriptor` is looked at for bytes. `key` names it. io: the
  // system's reason.
  Result<void> add(int descriptor, std::uint64_t key);
  // Of one that was added.
  void want(int descriptor, std::uint64_t key, bool read, bool write);

  // Waits until some are ready, which are told as long as they are. Valid until the next call. One
  // that was closed meanwhile may be among them.
  Task<Result<std::span<const Event>>> wait();

 private:
  Readiness(const Executor& executor, Fd events);

  Result<void> take_events();

  boost::asio::posix::stream_descriptor events_;
  std::vector<Event> ready_;
};

}  // namespace pi_mcp::io
