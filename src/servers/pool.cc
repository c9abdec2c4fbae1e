#include "servers/pool.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "io/loop/clock.h"
#include "servers/pool_server.h"

namespace pi_mcp::servers {

// The servers by launch key, and one timer for all of them.
struct Pool::State {
  State(io::Executor executor, Options options, Connector connector)
      : earlier_deadline(executor),
        shared(std::make_shared<PoolShared>(
            std::move(executor), std::move(options), std::move(connector))) {
    shared->deadline_set = [this](TimePoint deadline) {
      watch(deadline);
    };
  }

  PoolServer& server(const std::string& key) {
    std::unique_ptr<PoolServer>& found = servers[key];
    if (!found) {
      found = std::make_unique<PoolServer>(*shared, key);
      if (closed) {
        found->feed(LifecycleEvent::close);
      }
    }
    return *found;
  }

  [[nodiscard]] PoolServer* find(std::string_view key) const {
    const auto found = servers.find(key);
    return found == servers.end() ? nullptr : found->second.get();
  }

  // Sessions come and go, and each may leave servers that nobody asks for any more.
  void drop_done(const std::string& but) {
    constexpr std::size_t kept = 64;
    if (servers.size() > kept) {
      std::erase_if(servers, [&but](const auto& each) {
        return each.first != but && each.second->is_done();
      });
    }
  }

  void watch(TimePoint deadline) {
    if (deadline >= deadline_armed) {
      return;
    }
    if (deadline_task == 0) {
      deadline_task = shared->tasks.spawn(
          "watching idle servers", watch_deadlines(), [this](const std::string& /*what*/) {
            deadline_task = 0;  // the next deadline has it watched again
            deadline_armed = TimePoint::max();
          });
    }
    deadline_armed = deadline;
    earlier_deadline.notify_all();
  }

  io::Task<void> watch_deadlines() {
    for (;;) {
      deadline_armed = shared->leases.next_expiry().value_or(TimePoint::max());
      for (const auto& [key, server] : servers) {
        deadline_armed = std::min(deadline_armed, server->deadline().value_or(TimePoint::max()));
      }
      if (co_await earlier_deadline.wait_until(deadline_armed) == io::Wake::cancelled) {
        co_return;
      }
      for (const std::string& key : shared->leases.expire(io::now())) {
        server(key).update_policy();
      }
      for (const auto& [key, server] : servers) {
        server->wake_if_due(io::now());
      }
    }
  }

  // What ran of a key when it was stopped. What is started afterwards, because somebody goes on
  // calling, is not waited for.
  struct Stopped {
    std::string key;
    std::uint64_t newest_run = 0;
  };
  [[nodiscard]] Stopped just_stopped(std::string key) const {
    const PoolServer* const server = find(key);
    return {.key = std::move(key), .newest_run = server == nullptr ? 0 : server->newest_run()};
  }

  // Until all of that has ended. A server that is gone is not ending: see drop_done().
  io::Task<void> wait_ended(std::vector<Stopped> stopped) {
    const auto is_ending = [this](const Stopped& each) {
      const PoolServer* const server = find(each.key);
      return server != nullptr && server->is_ending(each.newest_run);
    };
    auto wake = io::Wake::notified;
    while (wake != io::Wake::cancelled && std::ranges::any_of(stopped, is_ending)) {
      wake = co_await shared->close_ended.wait();
    }
  }

  std::map<std::string, std::unique_ptr<PoolServer>, std::less<>> servers;
  io::Condition earlier_deadline;  // some lifecycle is due before deadline_armed
  TimePoint deadline_armed = TimePoint::max();
  io::TaskGroup::TaskId deadline_task = 0;  // 0: not needed yet
  bool closed = false;
  std::shared_ptr<PoolShared> shared;  // its tasks end before what they use
};

Pool::Pool(io::Executor executor, Options options, Connector connector)
    : state_(
          std::make_unique<State>(std::move(executor), std::move(options), std::move(connector))) {}

Pool::~Pool() = default;

io::Task<Result<std::shared_ptr<Connection>>> Pool::acquire(Launch launch, Use use) {
  PoolServer& server = state_->server(launch.key());
  return server.acquire(std::move(launch), use);
}

void Pool::lease(const std::string& key, const void* owner, Lease lease) {
  state_->drop_done(key);
  state_->shared->leases.put(key, owner, std::move(lease));
  state_->server(key).update_policy();
}

void Pool::release(const void* owner) {
  for (const std::string& key : state_->shared->leases.remove(owner)) {
    state_->server(key).update_policy();
  }
}

std::vector<std::string> Pool::running() const {
  std::vector<std::string> names;
  for (const auto& [key, server] : state_->servers) {
    if (server->status().state == LifecycleState::ready) {
      names.push_back(server->name());
    }
  }
  return names;
}

std::vector<Copies> Pool::copies(
    const std::function<const config::Server*(const std::string& name)>& entry) const {
  std::map<std::string, std::vector<const Launch*>> by_name;
  for (const auto& [key, server] : state_->servers) {
    if (const Launch* const launch = server->open_launch()) {
      by_name[server->name()].push_back(launch);
    }
  }
  std::vector<Copies> copies;
  for (const auto& [name, launches] : by_name) {
    const config::Server* const server = launches.size() > 1 ? entry(name) : nullptr;
    if (server != nullptr) {
      copies.push_back(copies_of(*server, launches));
    }
  }
  return copies;
}

bool Pool::has_servers() const {
  return std::ranges::any_of(state_->servers,
                             [](const auto& server) { return server.second->runs(); });
}

void Pool::rest(const void* owner) {
  for (const std::string& key : state_->shared->leases.rest(owner, io::now())) {
    state_->server(key).update_policy();
  }
  if (const std::optional<TimePoint> expiry = state_->shared->leases.next_expiry()) {
    state_->watch(*expiry);
  }
}

Launch Pool::placed(Launch launch) const {
  const auto is_free = [this, &launch] {
    const PoolServer* const own = state_->find(launch.key());
    return own == nullptr || !own->is_in_use() || own->may_serve(launch);
  };
  const PoolServer* const own = state_->find(launch.key());
  if (own != nullptr && own->may_serve(launch)) {
    return launch;
  }
  const auto found = std::ranges::find_if(
      state_->servers, [&launch](const auto& each) { return each.second->may_serve(launch); });
  if (found != state_->servers.end()) {
    return found->second->as_served(std::move(launch));
  }
  while (!is_free()) {
    ++launch.copy;
  }
  return launch;
}

void Pool::keep_for(const std::string& key, const std::string& session_name) {
  state_->server(key).keep_for(session_name);
}

bool Pool::shares_roots(const std::string& key) const {
  const PoolServer* const server = state_->find(key);
  return server != nullptr && server->shares_roots();
}

PoolStatus Pool::status(std::string_view key) const {
  const PoolServer* server = state_->find(key);
  return server == nullptr ? PoolStatus() : server->status();
}

std::vector<PoolRun> Pool::runs() const {
  std::vector<PoolRun> found;
  for (const auto& [key, server] : state_->servers) {
    if (std::optional<PoolRun> run = server->run()) {
      found.push_back(*std::move(run));
    }
  }
  return found;
}

std::string Pool::stderr_tail(std::string_view key) const {
  const PoolServer* server = state_->find(key);
  return server == nullptr ? std::string() : server->stderr_tail();
}

io::Task<void> Pool::stop(std::string key) {
  if (PoolServer* const server = state_->find(key)) {
    server->feed(LifecycleEvent::stop);
  }
  std::vector<State::Stopped> stopped = {state_->just_stopped(std::move(key))};
  co_await state_->wait_ended(std::move(stopped));
}

io::Task<std::vector<std::string>> Pool::stop_named(std::string name) {
  std::vector<State::Stopped> stopped;
  std::vector<std::string> names;
  for (const auto& [key, server] : state_->servers) {
    if (server->runs() && (name.empty() || server->name() == name)) {
      names.push_back(server->name());
      server->stop_by("pi-mcp stop");
      stopped.push_back(state_->just_stopped(key));
    }
  }
  drop_claims([&name](const std::string& server, const Lease& /*claim*/) {
    return name.empty() || server == name;
  });
  co_await state_->wait_ended(std::move(stopped));
  co_return names;
}

std::vector<std::string> Pool::drop_claims(const ClaimFilter& wanted) {
  std::vector<std::string> stopped;
  const auto is_wanted = [this, &wanted](const std::string& key, const Lease& claim) {
    return wanted(state_->server(key).name(), claim);
  };
  for (const std::string& key : state_->shared->leases.drop_claims(is_wanted)) {
    PoolServer& server = state_->server(key);
    const bool runs = server.runs();
    server.update_policy();
    if (!state_->shared->leases.policy(key) && runs) {
      server.feed(LifecycleEvent::stop);
      stopped.push_back(key);
    }
  }
  return stopped;
}

io::Task<std::vector<std::string>> Pool::stop_resting(std::string name) {
  const std::vector<std::string> keys = drop_claims(
      [&name](const std::string& server, const Lease& /*claim*/) { return server == name; });
  std::vector<State::Stopped> stopped;
  stopped.reserve(keys.size());
  for (const std::string& key : keys) {
    stopped.push_back(state_->just_stopped(key));
  }
  std::vector<std::string> names(keys.size(), name);
  co_await state_->wait_ended(std::move(stopped));
  co_return names;
}

io::Task<void> Pool::close() {
  state_->closed = true;
  for (const auto& [key, server] : state_->servers) {
    server->feed(LifecycleEvent::close);
  }
  state_->shared->tasks.cancel(state_->deadline_task);
  co_await state_->shared->tasks.join();
}

}  // namespace pi_mcp::servers
