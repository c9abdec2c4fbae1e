#include "io/process/process_limits.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <string>

namespace pi_mcp::io {

Result<void> ensure_open_files(std::size_t wanted) {
  struct rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
    return {};
  }
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  if (limit.rlim_cur < wanted || ::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail(ErrorCode::io,
                "a program may have " + std::to_string(before) +
                    " open files here, and pi-mcp needs " + std::to_string(wanted) +
                    "; allow more with: ulimit -n 1024");
  }
  return {};
}

void keep_own_rights() {
  constexpr mode_t of_the_owner = 0700;
  (void)::umask(::umask(0) & ~of_the_owner);
}

}  // namespace pi_mcp::io
