#include "io/net/readiness.h"

#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "io/loop/ready.h"

namespace pi_mcp::io {
namespace {

std::uint32_t flags(bool read, bool write) {
  return (read ? std::uint32_t{EPOLLIN} : 0) | (write ? std::uint32_t{EPOLLOUT} : 0);
}

}  // namespace

Result<std::unique_ptr<Readiness>> Readiness::open(const Executor& executor) {
  Fd events(::epoll_create1(EPOLL_CLOEXEC));
  if (!events.is_open()) {
    return fail(ErrorCode::io, reason(errno));
  }
  return std::unique_ptr<Readiness>(new Readiness(executor, std::move(events)));
}

Readiness::Readiness(const Executor& executor, Fd events) : events_(executor) {
  boost::system::error_code error;
  events_.assign(events.release(), error);  // a failure shows in the first wait
}

Result<void> Readiness::add(int descriptor, std::uint64_t key) {
  epoll_event event{.events = flags(true, false), .data = {.u64 = key}};
  if (::epoll_ctl(events_.native_handle(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    return fail(ErrorCode::io, reason(errno));
  }
  return {};
}

void Readiness::want(int descriptor, std::uint64_t key, bool read, bool write) {
  epoll_event event{.events = flags(read, write), .data = {.u64 = key}};
  // It was added, so only memory could be missing; then its deadlines end it.
  (void)::epoll_ctl(events_.native_handle(), EPOLL_CTL_MOD, descriptor, &event);
}

Result<void> Readiness::take_events() {
  constexpr std::size_t events_max = 256;
  std::array<epoll_event, events_max> found{};
  const int count = ::epoll_wait(events_.native_handle(), found.data(), events_max, 0);
  if (count < 0 && errno != EINTR) {
    return fail(ErrorCode::io, reason(errno));
  }
  ready_.clear();
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = found.at(static_cast<std::size_t>(i));
    const bool is_broken = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    ready_.push_back({.key = event.data.u64,
                      .can_read = is_broken || (event.events & EPOLLIN) != 0,
                      .can_write = is_broken || (event.events & EPOLLOUT) != 0,
                      .is_broken = is_broken});
  }
  return {};
}

Task<Result<std::span<const Readiness::Event>>> Readiness::wait() {
  ready_.clear();
  while (ready_.empty()) {
    Result<void> any =
        co_await wait_ready(&events_, boost::asio::posix::descriptor_base::wait_read);
    if (any) {
      any = take_events();
    }
    if (!any) {
      co_return fail(any.error());
    }
  }
  co_return std::span<const Event>(ready_);
}

}  // namespace pi_mcp::io
