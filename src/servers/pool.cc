#include "servers/pool.h"

#include <utility>

#include "servers/pool_state.h"

namespace pi_mcp::servers {

PoolEntry& Pool::State::entry(const std::string& key) {
  std::unique_ptr<PoolEntry>& found = entries[key];
  if (!found) {
    found = std::make_unique<PoolEntry>();
    found->key = key;
    found->lifecycle = Lifecycle(options.limits);
    if (closed) {
      feed(*found, LifecycleEvent::close);
    }
  }
  return *found;
}

const PoolEntry* Pool::State::find(std::string_view key) const {
  const auto found = entries.find(key);
  return found == entries.end() ? nullptr : found->second.get();
}

Pool::Pool(io::Executor executor, Options options, Connector connector)
    : state_(
          std::make_shared<State>(std::move(executor), std::move(options), std::move(connector))) {}

Pool::~Pool() = default;

io::Task<Acquired> Pool::acquire(Launch launch, Use use) {
  return state_->acquire(std::move(launch), use);
}

void Pool::lease(const std::string& key, const void* owner, Lease lease) {
  state_->leases.put(key, owner, std::move(lease));
  state_->update_policy(state_->entry(key));
}

void Pool::release(const void* owner) {
  for (const std::string& key : state_->leases.remove(owner)) {
    state_->update_policy(state_->entry(key));
  }
}

PoolStatus Pool::status(std::string_view key) const {
  PoolStatus status;
  const PoolEntry* entry = state_->find(key);
  if (entry == nullptr) {
    return status;
  }
  const Lifecycle& lifecycle = entry->lifecycle;
  status.state = lifecycle.state();
  status.reason = entry->reason;
  status.failed_at = lifecycle.failed_at();
  status.calls_in_flight = lifecycle.calls_in_flight();
  status.restarts = lifecycle.restarts();
  status.late_answers = entry->late_answers;
  if (status.state == LifecycleState::waiting) {
    status.next_try = lifecycle.next_try();
  }
  if (entry->connection) {
    status.connected_at = lifecycle.ready_since();
    status.process_id = entry->connection->process_id();
    status.late_answers += entry->connection->late_answers();
  }
  return status;
}

std::string Pool::stderr_tail(std::string_view key) const {
  const PoolEntry* entry = state_->find(key);
  if (entry == nullptr) {
    return {};
  }
  if (!entry->connection) {
    return entry->stderr_tail;
  }
  // A server that was started again has not said what went wrong; the one before may have.
  const std::string now = entry->connection->end().stderr_tail;
  const bool again = !entry->stderr_tail.empty() && !entry->reason_before.empty();
  return again ? entry->stderr_tail + (entry->stderr_tail.ends_with('\n') ? "" : "\n") +
                     "[pi-mcp: " + entry->reason_before + "; started again]\n" + now
               : now;
}

io::Task<void> Pool::stop(std::string key) {
  const auto found = state_->entries.find(key);
  if (found == state_->entries.end()) {
    co_return;
  }
  PoolEntry* entry = found->second.get();
  state_->feed(*entry, LifecycleEvent::stop);
  auto wake = io::Wake::notified;
  while (entry->closing > 0 && wake != io::Wake::cancelled) {
    wake = co_await state_->close_ended.wait();
  }
}

io::Task<void> Pool::close() {
  state_->closed = true;
  for (const auto& [key, entry] : state_->entries) {
    state_->feed(*entry, LifecycleEvent::close);
  }
  state_->tasks.cancel(state_->deadline_task);
  co_await state_->tasks.join();
}

}  // namespace pi_mcp::servers
