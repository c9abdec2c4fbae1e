#include "io/loop/task_group.h"

#include <cstdlib>
#include <exception>
#include <iterator>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"

namespace pi_mcp::io {
namespace {

namespace asio = boost::asio;

// co_spawn would run the task at once up to its first wait; a caller in the middle of a change must
// not be entered again.
Task<void> run_from_loop(Executor executor, Task<void> task) {
  co_await asio::this_coro::throw_if_cancelled(false);
  co_await asio::post(executor, asio::use_awaitable);
  co_await std::move(task);
}

std::string what_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& escaped) {
    return escaped.what();
  } catch (...) {
    return "an unknown exception";
  }
}

void report_escaped(const std::string& name,
                    const std::exception_ptr& error,
                    const OnEscape& on_escape) {
  try {
    const std::string what = what_of(error);
    log::error("bug: task " + name + " ended by an exception: " + what);
    if (on_escape) {
      on_escape(what);
    }
  } catch (const std::exception& again) {
    log::error("bug: the end of a task was not dealt with: " + std::string(again.what()));
  }
}

}  // namespace

Task<Result<void>> without_exceptions(Task<Result<void>> task) {
  try {
    co_return co_await std::move(task);
  } catch (const std::exception& escaped) {
    log::error("bug: a step ended by an exception: " + std::string(escaped.what()));
    co_return fail(ErrorCode::unavailable, escaped_text(escaped.what()));
  }
}

std::string escaped_text(std::string_view what) {
  return "an error inside pi-mcp ended it (" + std::string(what) + "); the next use starts it anew";
}

TaskGroup::TaskGroup(Executor executor) : executor_(std::move(executor)), idle_(executor_) {
  idle_.expires_at(TimePoint::max());
}

TaskGroup::~TaskGroup() {
  if (!running_.empty()) {
    log::error("bug: a task group was destroyed before it was joined");
    std::abort();
  }
}

TaskGroup::TaskId TaskGroup::spawn(std::string name, Task<void> task, OnEscape on_escape) {
  const TaskId id = ++last_;
  running_.emplace_back();
  const auto self = std::prev(running_.end());
  self->id = id;
  auto on_end = [this, self, name = std::move(name), on_escape = std::move(on_escape)](
                    const std::exception_ptr& error) {
    if (error) {
      report_escaped(name, error, on_escape);
    }
    running_.erase(self);
    if (running_.empty()) {
      idle_.cancel();
    }
  };
  asio::co_spawn(executor_,
                 run_from_loop(executor_, std::move(task)),
                 asio::bind_cancellation_slot(self->signal.slot(), std::move(on_end)));
  return id;
}

void TaskGroup::cancel(TaskId id) {
  for (Running& task : running_) {
    if (task.id == id) {
      task.signal.emit(asio::cancellation_type::terminal);
      return;
    }
  }
}

void TaskGroup::cancel() {
  for (auto task = running_.begin(); task != running_.end();) {
    const auto current = task++;  // a task may end, and leave the list, while it is asked to stop
    current->signal.emit(asio::cancellation_type::terminal);
  }
}

Task<void> TaskGroup::join() {
  while (!running_.empty()) {
    // Ends when the last task does, or when the joining task is cancelled: then it goes on waiting.
    const auto [ignored] = co_await idle_.async_wait(asio::as_tuple(asio::use_awaitable));
    (void)ignored;
  }
}

}  // namespace pi_mcp::io
