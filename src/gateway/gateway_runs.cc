#include "gateway/gateway_runs.h"

#include <utility>

#include "base/log.h"
#include "gateway/pool_runs.h"
#include "io/loop/clock.h"
#include "io/process/process_tree.h"

namespace pi_mcp::gateway {
namespace {

using State = servers::ServerStatus::State;

// What changes when there is something to tell: ages grow by themselves.
std::string telling(const runs::RunServer& server) {
  const servers::ServerStatus& status = server.status;
  return status.name + "\n" + server.identity + "\n" + std::to_string(status.process_id) + "\n" +
         std::string(servers::state_name(status.state)) + "\n" + std::to_string(status.tools) +
         "\n" + std::to_string(status.restarts) + "\n" + status.reason + "\n" +
         std::to_string(server.log) + "\n";
}

}  // namespace

GatewayRuns::GatewayRuns(const Gateway* gateway,
                         std::string_view agent_dir,
                         std::string client,
                         std::string cwd)
    : gateway_(gateway),
      folder_(agent_dir),
      facts_{.process_id = io::own_process_id(),
             .client = std::move(client),
             .cwd = std::move(cwd),
             .started_at = io::epoch_now(),
             .servers = {}} {}

void GatewayRuns::look() {
  for (auto& [key, known] : known_) {
    known.is_there = false;
  }
  for (const servers::PoolRun& run : gateway_->runs()) {
    take(run);
  }
  for (const auto& [key, known] : known_) {
    if (!known.is_there && known.server.status.state == State::connected) {
      save(known);  // it was stopped
    }
  }
  std::erase_if(known_, [](const auto& each) { return !each.second.is_there; });
  if (!failed_ && (own_ || !known_.empty())) {
    write();
  }
}

void GatewayRuns::take(const servers::PoolRun& run) {
  Known& known = known_[run.key];
  runs::RunServer now = run_server(run, io::now());
  const bool is_new_failure =
      !now.status.reason.empty() && now.status.reason != known.server.status.reason;
  now.log = known.server.log;
  now.words = std::move(known.server.words);
  if (run.stderr_tail != known.raw_words) {
    now.words = words_of(run);
    known.raw_words = run.stderr_tail;
    known.has_new_words = true;
  }
  known.server = std::move(now);
  known.is_users = run.principal.empty();
  known.is_there = true;
  if (is_new_failure) {
    save(known);  // at once: who is killed tells nobody
  }
}

void GatewayRuns::write() {
  if (!own_) {
    std::optional<runs::OwnRun> own = runs::OwnRun::open_or_tell(folder_);
    failed_ = !own;
    if (failed_) {
      return;
    }
    own_.emplace(*std::move(own));
  }
  runs::RunRecord record = facts_;
  std::string telling_now;
  // What could not be written is tried again with the next look.
  const auto is_written = [](const Result<void>& written) {
    if (!written) {
      log::debug("run record: " + written.error().message());
    }
    return written.has_value();
  };
  for (auto& [key, known] : known_) {
    if (known.has_new_words) {
      known.server.log = known.server.log == 0 ? ++logs_ : known.server.log;
      known.has_new_words = !is_written(own_->write_log(known.server.log, known.server.words));
    }
    telling_now += telling(known.server);
    record.servers.push_back(known.server);
  }
  if (telling_now != told_ && is_written(own_->write(record, io::epoch_now()))) {
    told_ = std::move(telling_now);
  }
}

// How it went for others, with logins of their own, says nothing about the user's.
void GatewayRuns::save(const Known& known) const {
  if (!known.is_users) {
    return;
  }
  const runs::RunServer& server = known.server;
  folder_.save({.server = server.status.name,
                .identity = server.identity,
                .client = facts_.client,
                .cwd = facts_.cwd,
                .error = server.status.reason,
                .wants_login = server.status.wants_login,
                .stderr_tail = server.words,
                .ended_at = io::epoch_now()});
}

void GatewayRuns::bury() {
  for (const auto& [key, known] : known_) {
    if (known.server.status.state == State::connected) {
      save(known);
    }
  }
  known_.clear();
  if (own_) {
    own_->remove();
    own_.reset();
  }
}

}  // namespace pi_mcp::gateway
