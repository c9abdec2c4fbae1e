// A pool whose servers are scripted links: servers/ without a process. For unit tests.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "servers/pool.h"
#include "support/scripted_link.h"

namespace pi_mcp::test {

using servers::Connection;
using servers::Launch;
using servers::Pool;
using servers::PoolStatus;
using servers::Use;

inline Launch launch_of(const std::string& name) {
  Launch launch;
  launch.server = name;
  launch.command = name;
  launch.cwd = "/";
  return launch;
}

// `scripts` is asked anew for every start.
struct PoolFixture {
  explicit PoolFixture(const io::Executor& executor, Pool::Options options = {})
      : changed(executor), tasks(executor), executor_(executor) {
    pool = std::make_unique<Pool>(
        executor, std::move(options), [this](Launch launch) { return connect(std::move(launch)); });
  }

  io::Task<Result<std::unique_ptr<transport::Transport>>> connect(Launch launch) {
    ++starts[launch.server];
    if (launch.server == "missing") {
      co_return fail(ErrorCode::unavailable, "no such program: missing");
    }
    if (launch.server == "locked") {
      co_return fail(Error(ErrorCode::unauthorized, "nobody is logged in")
                         .with({.kind = Remedy::Kind::log_in, .subject = launch.server}));
    }
    auto link = std::make_unique<ScriptedLink>(
        executor_, scripts.contains(launch.server) ? scripts[launch.server] : well_behaved());
    link->on_sent = [this] {
      changed.notify_all();
    };
    links[launch.server] = link.get();
    co_return link;
  }

  // "open" or the error.
  io::Task<std::string> acquire(std::string name, Use use = Use::implicit) {
    const Result<std::shared_ptr<Connection>> connection =
        co_await pool->acquire(launch_of(name), use);
    co_return connection ? "open" : connection.error().message();
  }

  io::Task<void> acquire_into(std::string name, Use use, std::string* into) {
    *into = co_await acquire(std::move(name), use);
    changed.notify_all();
  }

  // Looks when something changed, and now and then for what nobody tells.
  template <class Predicate>
  io::Task<void> until(Predicate predicate) {
    constexpr Milliseconds pause{5};
    const TimePoint deadline = io::now() + std::chrono::seconds(10);
    while (!predicate() && io::now() < deadline) {
      (void)co_await changed.wait_until(io::now() + pause);  // the predicate decides
    }
    EXPECT_TRUE(predicate());
  }

  [[nodiscard]] PoolStatus status(const std::string& name) const {
    return pool->status(launch_of(name).key());
  }

  std::map<std::string, ScriptedLink::Script> scripts;
  std::map<std::string, int> starts;
  std::map<std::string, ScriptedLink*> links;
  io::Condition changed;
  io::TaskGroup tasks;
  std::unique_ptr<Pool> pool;

 private:
  io::Executor executor_;
};

}  // namespace pi_mcp::test
