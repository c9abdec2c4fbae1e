// A socket with a name in a folder of ours, for packets between processes of one user.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Connects to who listens there. `folder` is open, so that no path is too long for a socket's
// address, and nobody can put another folder in its place. not_found: nobody listens. unavailable:
// its queue is full and stays so for `limit`. io: the system's reason.
Result<Fd> connect_in(const Fd& folder, const std::string& name, Milliseconds limit);

// The names of all sockets there, in no order, also of those where nobody listens any more.
std::vector<std::string> sockets_in(const Fd& folder);

// Removes the names of those who do not listen any more. For who holds the folder's lock.
void remove_dead_sockets(const Fd& folder);

// Who listens under a name in a folder. The process that makes it is the one that the other end's
// kernel names.
class LocalListener : Pinned {
 public:
  // Takes the place of a socket that is there already: for who holds the folder's lock. io: the
  // system's reason.
  static Result<Fd> listen_in(const Fd& folder, const std::string& name);
  LocalListener(const Executor& executor, Fd listener, Fd folder, std::string name);

  // Somebody who has connected and stands in the queue; a descriptor that is not open when nobody
  // does. Its packets are stamped (io/net/packets.h). io: the system refuses, for now.
  Result<Fd> accept_now();
  // Waits until somebody stands there. cancelled.
  Task<Result<void>> wait_for_front();
  // Whether its name in the folder of this path is still its own.
  [[nodiscard]] bool is_found_in(const std::string& path) const;
  // From now on `listener`, made by listen_in(), in place of the one before, which is closed as
  // close() does it. Who waits for a front is told that it was cancelled.
  void move_to(Fd listener, Fd folder, std::string name);
  // Nobody finds it any more; who stands in the queue is dropped. The name is removed only if it
  // is still ours.
  void close();
  [[nodiscard]] const Fd& folder() const { return folder_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  boost::asio::posix::stream_descriptor descriptor_;
  Fd folder_;
  std::string name_;
  std::uint64_t inode_ = 0;
};

}  // namespace pi_mcp::io
