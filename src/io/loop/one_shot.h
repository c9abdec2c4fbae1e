// OneShot<T>: hands one value from whoever has it to the one task that waits for it. On the path of
// every call, so it keeps no timer and allocates nothing of its own.
#pragma once

#include <optional>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/pinned.h"
#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

// Must outlive its wait(). All members are called on the loop's thread.
template <class T>
class OneShot : Pinned {
 public:
  // The waiting task goes on soon (from the loop, not inside this call). The first value counts,
  // later ones are dropped.
  void set(Result<T> value) {
    if (!value_) {
      value_.emplace(std::move(value));
      resume();
    }
  }

  // Like set(), but the waiting task runs on inside this call, up to its next wait: saves a turn of
  // the loop (0.5 µs with its system call). For callers that touch nothing afterwards which that
  // task may have changed; this OneShot may be gone.
  void set_now(Result<T> value) {
    if (value_) {
      return;
    }
    value_.emplace(std::move(value));
    if (waiter_) {
      Waiter waiter = std::move(*waiter_);
      waiter_.reset();
      std::move(waiter)();
    }
  }

  // The value given to set(), before or after this call. cancelled: the waiting task was cancelled
  // first. May be called once, again after cancelled.
  Task<Result<T>> wait() {
    const auto state = co_await boost::asio::this_coro::cancellation_state;
    if (!value_ && !is_cancelled(state)) {
      auto initiation = [this](Waiter waiter) {
        start(std::move(waiter));
      };
      co_await boost::asio::async_initiate<const Token&, void()>(initiation,
                                                                 boost::asio::use_awaitable);
    }
    if (!value_) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    co_return std::move(*value_);
  }

 private:
  using Token = boost::asio::use_awaitable_t<>;
  using Waiter = typename boost::asio::async_result<Token, void()>::handler_type;

  void start(Waiter waiter) {
    waiter_.emplace(std::move(waiter));
    if (value_) {
      resume();
      return;
    }
    auto slot = boost::asio::get_associated_cancellation_slot(*waiter_);
    if (slot.is_connected()) {
      slot.assign([this](boost::asio::cancellation_type) { resume(); });
    }
  }

  void resume() {
    if (waiter_) {
      Waiter waiter = std::move(*waiter_);
      waiter_.reset();
      boost::asio::post(std::move(waiter));
    }
  }

  std::optional<Result<T>> value_;
  std::optional<Waiter> waiter_;
};

}  // namespace pi_mcp::io
