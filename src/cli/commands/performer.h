// Runs requests of one session until they are done, their time is over, or the user wants to stop,
// and shows what is going on.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/setup.h"
#include "cli/sharing/remote_session.h"
#include "cli/show/activity.h"
#include "cli/show/exit_status.h"
#include "cli/stopper.h"
#include "gateway/gateway.h"
#include "gateway/run_publisher.h"
#include "gateway/session.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "rpc/outgoing.h"

namespace pi_mcp::cli {

class Performer final : public registry::SessionObserver {
 public:
  // `setup` outlives it. Whatever may need a server runs in the shared process, if there is one.
  Performer(const io::Executor& executor, const Setup& setup, config::Settings settings);

  // From now on this configuration, with the limits of the command line.
  void reload(config::Settings settings);
  // Sends what may need a server to the process that sessions share, where it may. That process
  // reads the configuration now, so what the user is asked about it is answered before.
  void share();
  [[nodiscard]] bool is_shared() const { return remote_ != nullptr; }
  // Before the first request.
  void start();
  // After the last one: ends every server and records how it ended for `pi-mcp status` and `logs`.
  // Must have returned before destruction.
  io::Task<void> close();

  [[nodiscard]] gateway::Session& session() { return session_; }
  [[nodiscard]] const gateway::Session& session() const { return session_; }
  // The status to end with when a signal asked for it.
  [[nodiscard]] std::optional<ExitStatus> stopped() const { return stopper_.stopped(); }

  // The request's own result, or one that says it was given up, after telling the server.
  io::Task<tool::Answer> perform(tool::ToolRequest request);
  // Told of each request as soon as its result is there.
  using OnDone = std::function<void(std::size_t request, const tool::Answer& answer)>;
  // Asked after each result: whether those that are left need not be waited for.
  using IsEnough = std::function<bool()>;
  // Runs several, a few at a time; results in the order of the requests.
  io::Task<std::vector<tool::Answer>> perform_each(std::vector<tool::ToolRequest> requests,
                                                   OnDone on_done = {},
                                                   IsEnough is_enough = {});
  // What else asks a server. nullopt: its time is over, or the user wants to stop.
  io::Task<std::optional<rpc::Outgoing>> finish(io::Task<rpc::Outgoing> work);
  // Says so of `request`.
  [[nodiscard]] tool::Answer given_up(const tool::ToolRequest& request) const;

  // What servers and we have to say goes to the log.
  void server_said(std::string_view server, json::Value params) override;
  void noticed(const registry::Notice& notice) override;

 private:
  // The requests that workers take one after the other.
  struct Batch {
    const std::vector<tool::ToolRequest>* requests;
    std::vector<std::optional<tool::Answer>>* results;
    std::size_t* next;
  };
  io::Task<void> work(Batch batch);
  // What the other process has learnt of a server is known here too.
  io::Task<tool::Answer> perform_there(tool::ToolRequest request, tool::CallContext context);
  io::Task<tool::Answer> perform_one(tool::ToolRequest request, std::size_t number);
  // For those that read of it later.
  void note_late_starts(const std::vector<tool::ToolRequest>& requests,
                        const std::vector<bool>& in_time);
  [[nodiscard]] std::string time_limit() const;  // --timeout
  io::Task<void> take(io::Task<rpc::Outgoing> work, std::optional<rpc::Outgoing>* answer);
  io::Task<void> show_activity();
  io::Task<void> tell_activity();

  const Setup& setup_;
  gateway::Gateway gateway_;
  gateway::Session& session_;
  Stopper stopper_;
  gateway::RunPublisher publisher_;
  std::unique_ptr<RemoteSession> remote_;  // null: this process has servers of its own
  io::Executor executor_;
  io::TaskGroup background_;
  TimePoint deadline_;
  // What the progress line says; empty while nothing runs.
  std::string activity_;
  Activity lines_;  // where there is no such line
  io::Condition activity_changed_;
};

}  // namespace pi_mcp::cli
