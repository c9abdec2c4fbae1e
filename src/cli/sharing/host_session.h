// One host's session in a gateway, from its first message to its end: `serve` has one, the process
// that all sessions share has many.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/pinned.h"
#include "cli/session_config.h"
#include "cli/setup.h"
#include "gateway/gateway.h"
#include "gateway/run_publisher.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "transport/transport.h"

namespace pi_mcp::cli {

// Which host `serve` was started by. invalid_argument: no such kind.
Result<render::HostKind> host_kind(const CommandLine& line);
// The one server that --through names; nullopt: the host sees the `mcp` tool.
std::optional<tool::ThroughOptions> through(const Setup& setup);
// A command of ours that has no host: --host of the session that serves it.
inline constexpr const char* shell_host = "shell";
// One that only looks at what is there, or ends it: no server is started for it.
inline constexpr const char* looking_host = "looking shell";

// Questions to the host of one process after another have numbers that lie far apart, so that a
// late answer to one of a process that has died is never taken for another. `generation`: how many
// processes had the session before.
constexpr std::int64_t questions_of(std::uint64_t generation) {
  constexpr unsigned apart = 32;
  return static_cast<std::int64_t>(generation) << apart;
}

class HostSession : Pinned {
 public:
  struct Options {
    render::HostKind kind = render::HostKind::mcp;
    bool is_shell = false;  // see gateway::Session::Options
    std::optional<tool::ThroughOptions> through = std::nullopt;
    registry::SharingOptions sharing = {};
    std::unique_ptr<transport::Transport> host;
    std::int64_t last_question = 0;  // see host::HostOptions
    tool::SharedAccess shared = {};  // without `view` this session is alone in its process
  };
  // Opens a session in the gateway, which outlives it. Reads the configuration, and starts nothing.
  HostSession(const io::Executor& executor,
              gateway::Gateway& gateway,
              const Setup& setup,
              Options options);

  // Serves the host until it goes away or end() is called. leave() or end_gateway() has to follow.
  io::Task<void> run();
  void end();
  // Gives everything up: the host is written what it is owed, servers are let go of.
  io::Task<void> leave();
  // The same, with the gateway and all of its servers.
  io::Task<void> end_gateway();

  [[nodiscard]] const config::Settings& settings() const { return session_->settings(); }
  // For people: who the host says it is, and the servers whose connections the session has.
  [[nodiscard]] tool::SharedView::Session view() const;
  // See gateway::RunPublisher.
  [[nodiscard]] runs::RunRecord run(const std::string& server) { return publisher_.run(server); }
  void reload_soon() { config_.reload_soon(); }

 private:
  io::Task<void> serve();
  io::Task<void> stop_serving();

  SessionConfig config_;
  gateway::Gateway& gateway_;
  bool is_shared_;
  gateway::Session* session_;
  gateway::RunPublisher publisher_;
  std::unique_ptr<transport::Transport> host_;
  std::int64_t last_question_;
  io::TaskGroup serving_;
  io::TaskGroup closing_;
  io::Condition changed_;
  std::string client_;
  std::string folder_;
  TimePoint since_;
  bool starts_servers_;
  bool met_ = false;
  bool ended_ = false;
};

}  // namespace pi_mcp::cli
