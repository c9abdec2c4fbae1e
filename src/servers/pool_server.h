// One server of the pool: does what the lifecycle of its launch key decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "servers/leases.h"
#include "servers/link/live_connection.h"
#include "servers/pool.h"

namespace pi_mcp::servers {

// What the servers of one pool share. It ends before them, and with it every task that uses them.
struct PoolShared : std::enable_shared_from_this<PoolShared> {
  PoolShared(io::Executor on, Pool::Options given, Pool::Connector connect)
      : executor(std::move(on)),
        options(std::move(given)),
        connector(std::move(connect)),
        slots(options.starts),
        slot_freed(executor),
        close_ended(executor),
        tasks(executor) {}

  io::Executor executor;
  Pool::Options options;
  Pool::Connector connector;
  Leases leases;
  StartLimiter slots;         // of the starts under way
  io::Condition slot_freed;   // one of them ended, or a start became urgent
  io::Condition close_ended;  // a connection has been closed, or a start that was given up is over
  // A lifecycle has something to do then, see PoolServer::wake_if_due().
  std::function<void(TimePoint)> deadline_set;
  io::TaskGroup tasks;
};

// Kept for good: the reason of a failure and the last stderr are asked for later.
class PoolServer {
 public:
  PoolServer(PoolShared& shared, std::string key);

  // See Pool::acquire().
  io::Task<Result<std::shared_ptr<Connection>>> acquire(Launch launch, Use use);
  // Its leases have changed.
  void update_policy();
  // See Pool.
  [[nodiscard]] bool may_serve(const Launch& launch) const;
  [[nodiscard]] Launch as_served(Launch launch) const;
  [[nodiscard]] bool is_in_use() const { return connection_ || start_; }
  void keep_for(const std::string& session_name);
  [[nodiscard]] bool shares_roots() const;
  // Nothing of it is under way, and nobody will ask for it.
  [[nodiscard]] bool is_done() const;
  // Every event of the lifecycle goes through here.
  LifecycleAction feed(LifecycleEvent event);
  // The user has it stopped with this command.
  void stop_by(const std::string& command);
  void wake_if_due(TimePoint now);

  [[nodiscard]] std::optional<TimePoint> deadline() const { return lifecycle_.deadline(); }
  [[nodiscard]] PoolStatus status() const;
  [[nodiscard]] std::string stderr_tail() const;                   // see Pool::stderr_tail()
  [[nodiscard]] const std::string& name() const { return name_; }  // as configured
  // nullopt: nobody has a claim on it, or it was stopped.
  [[nodiscard]] std::optional<PoolRun> run() const;
  // Of the connection; null where there is none, or nobody has a claim on it.
  [[nodiscard]] const Launch* open_launch() const {
    return connection_ && launch_.server == name_ ? &launch_ : nullptr;
  }
  // It runs, starts, is to be started again, or is being ended.
  [[nodiscard]] bool runs() const;
  // Starts are counted, and a run is what came of one. Whether some run up to this one is being
  // ended, or its start is.
  [[nodiscard]] std::uint64_t newest_run() const { return newest_run_; }
  [[nodiscard]] bool is_ending(std::uint64_t run) const {
    return !ending_.empty() && *ending_.begin() <= run;
  }

 private:
  struct Start;
  using Opened = Result<std::shared_ptr<LiveConnection>>;

  void start(bool kept);
  void cancel_start();
  void free_slot(Start& start);
  io::Task<void> run_start(std::shared_ptr<Start> start, Launch launch);
  io::Task<Opened> open(Launch launch, std::uint64_t run);
  void finish(Start& start, Opened opened);
  [[nodiscard]] bool was_cheap(const Start& start, const Error& error) const;
  void settle(const Opened& opened);
  [[nodiscard]] Error refusal() const;

  [[nodiscard]] mcp::LinkOptions link_options(const Launch& launch);
  [[nodiscard]] mcp::ClientFeatures features_of(const void* session, const mcp::Host& host) const;
  ConnectionEvents events_of(std::uint64_t serial);
  // Those whose lease is of that session; null: of the only one that ever had a lease on the
  // connection, else nobody's.
  [[nodiscard]] std::vector<std::shared_ptr<const Lease>> of_session(const void* session) const;
  void begin_sharing();
  void note_sessions();
  void on_asked(const mcp::action::Asked& asked);
  void on_told_roots(const mcp::Host* host, const std::string& roots);
  std::function<void(bool)> call_counter();
  void on_ended(std::uint64_t serial, const transport::LinkEnd& end);
  void begin_check();
  io::Task<void> check(std::shared_ptr<LiveConnection> connection);
  void lose_connection(std::string reason);

  void shut();
  void retire(std::shared_ptr<LiveConnection> connection, std::uint64_t run);
  io::Task<void> close_connection(std::shared_ptr<LiveConnection> connection, std::uint64_t run);
  void note_ended(std::uint64_t run);

  PoolShared& shared_;
  std::string key_;
  std::string name_;  // for messages
  Lifecycle lifecycle_;
  Launch launch_;                               // of the newest use, for the next start
  std::shared_ptr<LiveConnection> connection_;  // while the lifecycle is ready
  std::shared_ptr<Start> start_;                // while it is starting
  std::uint64_t serial_ = 0;                    // of the newest connection
  std::string reason_;                          // PoolStatus::reason
  ErrorCode code_ = ErrorCode::unavailable;     // PoolStatus::code
  std::shared_ptr<const Remedy> remedy_;        // PoolStatus::remedy
  std::string stderr_tail_;                     // of the last connection that ended
  std::string reason_before_;                   // why that ended; empty: we stopped it
  std::uint64_t late_answers_ = 0;              // of connections that were closed
  std::uint64_t newest_run_ = 0;                // also of connection_
  std::multiset<std::uint64_t> ending_;         // the runs of what is being closed or given up
  std::size_t acquiring_ = 0;                   // tasks in acquire()

  // What the newest launch was, when launch_ is gone.
  std::string key_of_any_session_;
  std::string launch_session_;
  std::string launch_roots_;
  int copy_ = 0;
  mcp::ClientFeatures features_;
  std::optional<std::string> told_roots_;  // of the connection
  std::string only_for_;                   // see Pool::keep_for(); empty: for all
  std::set<const void*> sessions_;         // that have had a lease since the newest start
  Milliseconds linger_{0};                 // see Lease
};

}  // namespace pi_mcp::servers
