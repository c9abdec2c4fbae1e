#include "io/process/process_limits.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

namespace pi_mcp::io {
namespace {

static_assert(RLIM_NLIMITS == resource_count);
static_assert(RLIMIT_NOFILE == open_files_resource);

constexpr std::array<std::string_view, resource_count> resource_names = {
    "processor time",
    "file size",
    "data size",
    "stack size",
    "core file size",
    "resident memory",
    "processes",
    "open files",
    "locked memory",
    "address space",
    "file locks",
    "pending signals",
    "message queues",
    "niceness",
    "real-time priority",
    "real-time processor time"};

ResourceLimit read_limit(std::size_t number) {
  struct rlimit limit{};
  (void)::getrlimit(static_cast<__rlimit_resource>(number), &limit);  // cannot fail for these
  return {.soft = limit.rlim_cur, .hard = limit.rlim_max};
}

bool set_limit(std::size_t number, const ResourceLimit& wanted) {
  const ResourceLimit now = read_limit(number);
  const std::uint64_t hard = std::min(wanted.hard, now.hard);
  const std::uint64_t soft = std::min(wanted.soft, hard);
  const struct rlimit limit{.rlim_cur = soft, .rlim_max = hard};
  return now == ResourceLimit{.soft = soft, .hard = hard} ||
         ::setrlimit(static_cast<__rlimit_resource>(number), &limit) == 0;
}

}  // namespace

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

ProcessTraits own_traits() {
  ProcessTraits traits;
  traits.umask = ::umask(0);
  (void)::umask(traits.umask);
  errno = 0;
  traits.niceness = ::getpriority(PRIO_PROCESS, 0);
  for (std::size_t i = 0; i < resource_count; ++i) {
    traits.limits.at(i) = read_limit(i);
  }
  return traits;
}

std::optional<ProcessTraits> traits_of(pid_t process) {
  ProcessTraits traits;
  errno = 0;
  traits.niceness = ::getpriority(PRIO_PROCESS, static_cast<id_t>(process));
  if (process <= 0 || errno != 0) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < resource_count; ++i) {
    struct rlimit limit{};
    if (::prlimit(process, static_cast<__rlimit_resource>(i), nullptr, &limit) != 0) {
      return std::nullopt;
    }
    traits.limits.at(i) = {.soft = limit.rlim_cur, .hard = limit.rlim_max};
  }
  return traits;
}

int take_on(const ProcessTraits& traits) {
  (void)::umask(traits.umask);
  const int niceness = ::getpriority(PRIO_PROCESS, 0);
  if (niceness != traits.niceness && ::setpriority(PRIO_PROCESS, 0, traits.niceness) != 0 &&
      traits.niceness > niceness) {
    return errno;
  }
  for (std::size_t i = 0; i < resource_count; ++i) {
    if (!set_limit(i, traits.limits.at(i))) {
      return errno;
    }
  }
  return 0;
}

std::optional<std::string> out_of_reach(const ProcessTraits& own, const ProcessTraits& wanted) {
  if (wanted.niceness < own.niceness) {
    return "its niceness is " + std::to_string(wanted.niceness) + ", and " +
           std::to_string(own.niceness) + " cannot be lowered to that";
  }
  for (std::size_t i = 0; i < resource_count; ++i) {
    if (wanted.limits.at(i).hard > own.limits.at(i).hard) {
      return "its hard limit of " + std::string(resource_names.at(i)) + " is higher";
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::io
