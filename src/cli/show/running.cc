#include "cli/show/running.h"

#include <algorithm>
#include <utility>

#include "io/loop/clock.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

template <class Number>
void optional_member(json::Writer& out, std::string_view name, const std::optional<Number>& value) {
  if (value) {
    out.member(name, *value);
  }
}

void add_servers(std::vector<RunningServer>& servers,
                 const runs::RunRecord& run,
                 const config::Settings& settings) {
  for (const runs::RunServer& server : run.servers) {
    RunningServer running{.status = server.status,
                          .owner = run.process_id,
                          .client = run.client,
                          .cwd = run.cwd,
                          .use = std::nullopt};
    running.configured = runs::is_configured(settings, running.status.name, server.identity);
    if (running.status.process_id != 0) {
      running.use = io::tree_use(running.status.process_id);
    }
    servers.push_back(std::move(running));
  }
}

}  // namespace

std::vector<RunningServer> running_servers(const config::Settings& settings,
                                           const std::vector<runs::RunRecord>& shared) {
  std::vector<RunningServer> servers;
  const runs::RunFolder folder(settings.agent_dir);
  for (const runs::RunFolder::Run& run : folder.runs(io::epoch_now())) {
    add_servers(servers, run.record, settings);
  }
  for (const runs::RunRecord& run : shared) {
    add_servers(servers, run, settings);
  }
  return servers;
}

void count_as_shown(std::vector<RunningServer>& running,
                    const std::vector<servers::ServerStatus>& configured) {
  for (RunningServer& server : running) {
    const auto known =
        std::ranges::find(configured, server.status.name, &servers::ServerStatus::name);
    const bool is_known =
        known != configured.end() &&
        (known->tools > 0 || known->state == servers::ServerStatus::State::cached);
    if (server.configured && is_known) {
      server.status.tools = known->tools;
    }
  }
}

void add_last_failures(std::vector<servers::ServerStatus>& servers,
                       const config::Settings& settings) {
  constexpr std::int64_t milliseconds_per_second = 1000;
  const runs::RunFolder folder(settings.agent_dir);
  const EpochMs now = io::epoch_now();
  for (servers::ServerStatus& server : servers) {
    const bool unused = server.state == servers::ServerStatus::State::cached ||
                        server.state == servers::ServerStatus::State::not_connected;
    std::optional<runs::LastRun> last;
    const config::Server* configured = settings.find(server.name);
    if (unused && server.reason.empty() && configured != nullptr) {
      last = folder.last_run(*configured);
    }
    if (last && !last->error.empty()) {
      server.state = last->wants_login ? servers::ServerStatus::State::needs_auth
                                       : servers::ServerStatus::State::failed;
      server.reason = std::move(last->error);
      server.failed_seconds_ago =
          std::max<std::int64_t>(now.value - last->ended_at.value, 0) / milliseconds_per_second;
    }
  }
}

std::string running_json(const std::vector<RunningServer>& servers) {
  json::Writer out;
  out.begin_array();
  for (const RunningServer& server : servers) {
    const servers::ServerStatus& status = server.status;
    out.begin_object()
        .member("name", status.name)
        .member("status", servers::state_name(status.state))
        .member("toolCount", status.tools)
        .member("client", server.client)
        .member("cwd", server.cwd)
        .member("ownerProcessId", server.owner)
        .member("restarts", status.restarts);
    if (status.process_id != 0) {
      out.member("processId", status.process_id);
    }
    if (server.use) {
      out.member("processes", server.use->processes)
          .member("memoryBytes", server.use->memory_bytes);
    }
    optional_member(out, "connectedSeconds", status.connected_seconds);
    optional_member(out, "failedAgo", status.failed_seconds_ago);
    if (!status.reason.empty()) {
      out.member("reason", status.reason);
    }
    if (!status.last_error.empty()) {
      out.member("lastError", status.last_error);
      optional_member(out, "lastErrorAgo", status.last_error_seconds_ago);
    }
    out.end_object();
  }
  return out.end_array().take();
}

}  // namespace pi_mcp::cli
