#include "io/net/local_socket.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/loop/ready.h"
#include "io/net/packets.h"

namespace pi_mcp::io {

namespace asio = boost::asio;

namespace {

constexpr int queue_max = 256;

// False: the name is too long.
bool address_of(const Fd& folder, const std::string& name, sockaddr_un& address) {
  const std::string path = "/proc/self/fd/" + std::to_string(folder.get()) + "/" + name;
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return false;
  }
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  return true;
}

std::uint64_t inode_of(const Fd& folder, const std::string& name) {
  struct stat status{};
  return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino
                                                                                  : 0;
}

}  // namespace

Result<Fd> connect_in(const Fd& folder, const std::string& name, Milliseconds limit) {
  sockaddr_un address{};
  const int at_once = limit == Milliseconds(0) ? SOCK_NONBLOCK : 0;
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | at_once, 0));
  if (!socket.is_open() || !address_of(folder, name, address)) {
    return fail(ErrorCode::io, "cannot make a socket for " + name + ": " + reason(errno));
  }
  if (Result<void> stamped = stamp_packets(socket.get()); !stamped) {
    return fail(std::move(stamped).error());
  }
  constexpr std::int64_t second = 1000;
  const struct timeval longest{.tv_sec = limit.count() / second,
                               .tv_usec = limit.count() % second * second};
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket.get(), generic, sizeof address) == 0) {
    return socket;
  }
  const int failed = errno;
  if (failed == ENOENT || failed == ECONNREFUSED) {
    return fail(ErrorCode::not_found, "nobody listens at " + name);
  }
  return fail(failed == EAGAIN ? ErrorCode::unavailable : ErrorCode::io,
              "cannot connect to " + name + ": " + reason(failed));
}

std::vector<std::string> sockets_in(const Fd& folder) {
  std::vector<std::string> found;
  const int own = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const names = own < 0 ? nullptr : ::fdopendir(own);
  if (names == nullptr) {
    return found;
  }
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody else reads from this one
  while (const struct dirent* entry = ::readdir(names)) {
    if (entry->d_type == DT_SOCK) {
      found.emplace_back(entry->d_name);
    }
  }
  (void)::closedir(names);
  return found;
}

void remove_dead_sockets(const Fd& folder) {
  for (const std::string& name : sockets_in(folder)) {
    const Result<Fd> live = connect_in(folder, name, Milliseconds(0));
    if (!live && live.error().code() == ErrorCode::not_found) {
      (void)::unlinkat(folder.get(), name.c_str(), 0);  // it stays until the next one starts
    }
  }
}

Result<Fd> LocalListener::listen_in(const Fd& folder, const std::string& name) {
  sockaddr_un address{};
  Fd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.is_open() || !address_of(folder, name, address)) {
    return fail(ErrorCode::io, "cannot make a socket for " + name + ": " + reason(errno));
  }
  if (Result<void> stamped = stamp_packets(socket.get()); !stamped) {
    return fail(std::move(stamped).error());
  }
  (void)::unlinkat(folder.get(), name.c_str(), 0);  // bind() says it if this did not work
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::bind(socket.get(), generic, sizeof address) != 0 ||
      ::listen(socket.get(), queue_max) != 0) {
    return fail(ErrorCode::io, "cannot listen at " + name + ": " + reason(errno));
  }
  return socket;
}

LocalListener::LocalListener(const Executor& executor, Fd listener, Fd folder, std::string name)
    : descriptor_(executor),
      folder_(std::move(folder)),
      name_(std::move(name)),
      inode_(inode_of(folder_, name_)) {
  boost::system::error_code error;
  descriptor_.assign(listener.release(), error);  // a failure shows in the first wait
}

Result<Fd> LocalListener::accept_now() {
  Fd front(::accept4(descriptor_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool nobody = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
  if (!front.is_open() && !nobody) {
    return fail(ErrorCode::io, "cannot let anybody in: " + reason(errno));
  }
  if (front.is_open()) {
    if (Result<void> stamped = stamp_packets(front.get()); !stamped) {
      return fail(std::move(stamped).error());
    }
  }
  return front;
}

Task<Result<void>> LocalListener::wait_for_front() {
  return wait_ready(&descriptor_, asio::posix::descriptor_base::wait_read);
}

bool LocalListener::is_found_in(const std::string& path) const {
  const Fd folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return folder.is_open() && inode_ != 0 && inode_of(folder, name_) == inode_;
}

void LocalListener::move_to(Fd listener, Fd folder, std::string name) {
  close();
  folder_ = std::move(folder);
  name_ = std::move(name);
  inode_ = inode_of(folder_, name_);
  boost::system::error_code error;
  descriptor_.assign(listener.release(), error);  // a failure shows in the first wait
}

void LocalListener::close() {
  // Somebody may have cleaned the folder, and the socket there may be another process's.
  if (descriptor_.is_open() && inode_ != 0 && inode_of(folder_, name_) == inode_) {
    (void)::unlinkat(folder_.get(), name_.c_str(), 0);  // a name without listener harms nobody
  }
  boost::system::error_code ignored;
  descriptor_.close(ignored);
}

}  // namespace pi_mcp::io
