#include "io/process/handed_streams.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "io/process/kernel.h"

namespace pi_mcp::io {
namespace {

tl::unexpected<Error> refused(const char* what) {
  return fail(ErrorCode::invalid_argument, what);
}

Result<void> check_socket(int stream) {
  int type = 0;
  socklen_t size = sizeof type;
  if (::getsockopt(stream, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM) {
    return refused("is a socket, but no stream");
  }
  return {};
}

bool has_name(int pipe) {
  std::array<char, 16> target{};
  const ssize_t count =
      ::readlink(("/proc/self/fd/" + std::to_string(pipe)).c_str(), target.data(), target.size());
  return count < 0 ||
         !std::string_view(target.data(), static_cast<std::size_t>(count)).starts_with("pipe:");
}

}  // namespace

Result<void> can_be_handed(int stream) {
  struct statx facts{};
  // A file of a server that hangs must not hang us.
  if (::statx(stream, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_UID, &facts) !=
      0) {
    return fail(ErrorCode::invalid_argument, "cannot be looked at: " + reason(errno));
  }
  if (S_ISSOCK(facts.stx_mode)) {
    return check_socket(stream);
  }
  if (!S_ISFIFO(facts.stx_mode)) {
    return refused("is neither a pipe nor a socket");
  }
  if (has_name(stream)) {
    return refused("is a named FIFO");
  }
  if (facts.stx_uid != ::geteuid() && ::geteuid() != 0) {
    return refused("is a pipe of another user");
  }
  return {};
}

void have_own_stderr() {
  struct stat status{};
  if (::fstat(STDERR_FILENO, &status) != 0 ||
      (!S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode))) {
    return;
  }
  const Fd own = open_anew(STDERR_FILENO, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  if (own.is_open()) {
    (void)::dup2(own.get(), STDERR_FILENO);  // else it stays as it is
  }
}

}  // namespace pi_mcp::io
