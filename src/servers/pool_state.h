// The inside of the pool, for its source files only: pool.cc answers, pool_start.cc starts servers,
// pool_lifecycle.cc does what the lifecycle of each says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "servers/leases.h"
#include "servers/link/live_connection.h"
#include "servers/pool.h"

namespace pi_mcp::servers {

using Acquired = Result<std::shared_ptr<Connection>>;

// One start under way, shared by everybody who waits for it.
struct Attempt {
  explicit Attempt(const io::Executor& executor) : changed(executor) {}

  io::Condition changed;  // result or urgent
  std::optional<Acquired> result;
  std::size_t waiting = 0;
  bool urgent = false;  // a call or a person waits for it
  bool kept = false;    // goes on when nobody waits: the lifecycle wants it
  // Its slot while it has one: true, a slot of the background.
  std::optional<bool> slot;
  io::TaskGroup::TaskId task = 0;
};

// What the pool knows of one launch key. Kept for good: the reason of a failure and the last stderr
// are asked for later.
struct PoolEntry {
  std::string key;
  std::string name;  // of the server, for messages
  Lifecycle lifecycle;
  Launch launch;                               // of the newest use, for the next start
  std::shared_ptr<LiveConnection> connection;  // while the lifecycle is ready
  std::shared_ptr<Attempt> attempt;            // while it is starting
  std::uint64_t serial = 0;                    // of the newest connection
  std::string reason;                          // PoolStatus::reason
  std::string stderr_tail;                     // of the last connection that ended
  std::string reason_before;                   // why that ended; empty: we stopped it
  std::uint64_t late_answers = 0;              // of connections that were closed
  std::size_t closing = 0;                     // connections of this key that are being closed
};

struct Pool::State : std::enable_shared_from_this<Pool::State> {
  State(io::Executor on, Options given, Connector connect)
      : executor(std::move(on)),
        options(std::move(given)),
        connector(std::move(connect)),
        slots(options.starts),
        slot_freed(executor),
        close_ended(executor),
        earlier_deadline(executor),
        tasks(executor) {}

  PoolEntry& entry(const std::string& key);
  [[nodiscard]] const PoolEntry* find(std::string_view key) const;

  // Starting.
  io::Task<Acquired> acquire(Launch launch, Use use);
  void start(PoolEntry& entry, bool kept);
  void free_slot(Attempt& attempt);
  io::Task<void> run_start(PoolEntry* entry, std::shared_ptr<Attempt> attempt, Launch launch);
  io::Task<Result<std::shared_ptr<LiveConnection>>> open(PoolEntry* entry, Launch launch);
  void finish(PoolEntry& entry, Attempt& attempt, Result<std::shared_ptr<LiveConnection>> opened);
  void settle(PoolEntry& entry, const Result<std::shared_ptr<LiveConnection>>& opened);

  // Running.
  LifecycleAction feed(PoolEntry& entry, LifecycleEvent event);
  void watch_deadline(const PoolEntry& entry);
  io::Task<void> watch_deadlines();
  void wake_due();
  void update_policy(PoolEntry& entry);
  ConnectionEvents events_for(PoolEntry* entry, std::uint64_t serial);
  std::function<void(bool)> call_counter(PoolEntry* entry);
  void on_ended(PoolEntry& entry, std::uint64_t serial, const transport::LinkEnd& end);
  io::Task<void> check(PoolEntry* entry, std::shared_ptr<LiveConnection> connection);
  void lose_connection(PoolEntry& entry, std::string reason);

  // Ending.
  void shut(PoolEntry& entry);
  void cancel_start(PoolEntry& entry);
  void retire(PoolEntry& entry, std::shared_ptr<LiveConnection> connection);
  io::Task<void> close_connection(PoolEntry* entry, std::shared_ptr<LiveConnection> connection);

  io::Executor executor;
  Options options;
  Connector connector;
  std::map<std::string, std::unique_ptr<PoolEntry>, std::less<>> entries;
  Leases leases;
  StartLimiter slots;              // of the starts under way
  io::Condition slot_freed;        // one of them ended, or an attempt became urgent
  io::Condition close_ended;       // some PoolEntry::closing went down
  io::Condition earlier_deadline;  // some lifecycle is due before deadline_armed
  TimePoint deadline_armed = TimePoint::max();
  io::TaskGroup::TaskId deadline_task = 0;  // 0: not needed yet
  bool closed = false;
  io::TaskGroup tasks;
};

}  // namespace pi_mcp::servers
