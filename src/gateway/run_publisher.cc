#include "gateway/run_publisher.h"

#include <utility>

#include "base/log.h"
#include "config/identity.h"
#include "io/loop/clock.h"
#include "io/process/process_tree.h"

namespace pi_mcp::gateway {
namespace {

using State = servers::ServerStatus::State;

// Whether it says something that the configuration and the cache do not.
bool is_used(const servers::ServerStatus& status) {
  switch (status.state) {
    case State::connected:
    case State::connecting:
    case State::failed:
    case State::needs_auth:
      return true;
    case State::cached:
    case State::not_connected:
    case State::disabled:
    case State::needs_trust:
      break;
  }
  return !status.last_error.empty();
}

}  // namespace

RunPublisher::RunPublisher(const io::Executor& executor,
                           Session* session,
                           std::string cwd,
                           RunTelling telling)
    : session_(session),
      telling_(telling),
      facts_{.process_id = io::own_process_id(),
             .client = "",
             .cwd = std::move(cwd),
             .started_at = io::epoch_now(),
             .servers = {}},
      publishing_(executor, "run record", pause, [this] { publish(); }) {}

void RunPublisher::start() {
  session_->add_observer(*this);
  publishing_.start();
}

void RunPublisher::changed(registry::Changes changes) {
  if (changes.state) {
    publishing_.ask();
  }
}

void RunPublisher::set_client(std::string client) {
  facts_.client = std::move(client);
  publishing_.ask();
}

std::vector<servers::ServerStatus> RunPublisher::statuses() const {
  return session_->status([this](const registry::RegistryEntry& entry) {
    return entry.was_tried() || servers_.contains(entry.name());
  });
}

runs::RunRecord RunPublisher::record() {
  runs::RunRecord record = facts_;
  for (servers::ServerStatus& status : statuses()) {
    note_words(status);
    const auto known = servers_.find(status.name);
    if (known != servers_.end()) {
      record.servers.push_back({.status = std::move(status),
                                .identity = known->second.identity,
                                .log = known->second.log,
                                .words = {}});
    }
  }
  return record;
}

runs::RunRecord RunPublisher::run(const std::string& server) {
  runs::RunRecord found = record();
  if (!server.empty()) {
    std::erase_if(found.servers,
                  [&server](const runs::RunServer& each) { return each.status.name != server; });
    for (runs::RunServer& each : found.servers) {
      each.words = servers_[server].stderr_tail;
    }
  }
  return found;
}

// A newer configuration may run something else under the name.
RunPublisher::Server& RunPublisher::used(const std::string& name) {
  const config::Server* configured = session_->settings().find(name);
  Server& server = servers_[name];
  std::string identity =
      configured == nullptr ? server.identity : config::entry_identity(*configured);
  if (server.identity != identity) {
    if (server.ran) {
      save(name, server);
    }
    server = {.identity = std::move(identity),
              .ran = false,
              .log = server.log,
              .stderr_tail = {},
              .error = {},
              .stored_error = {}};
  }
  return server;
}

void RunPublisher::note_given_up(const std::string& server, std::string why) {
  Server& known = used(server);
  known.error = std::move(why);
  known.ran = true;
}

void RunPublisher::note_words(const servers::ServerStatus& status) {
  std::optional<std::string> words = session_->new_stderr(status.name);
  if (!words && !is_used(status) && !servers_.contains(status.name)) {
    return;
  }
  Server& server = used(status.name);
  server.ran = server.ran || status.state == State::connected || !status.last_error.empty() ||
               (status.state == State::connecting && words);
  if (!status.last_error.empty()) {
    server.error = status.recovered ? "" : status.last_error;
    server.wants_login = status.wants_login;
  }
  if (!words || *words == server.stderr_tail) {
    return;
  }
  server.stderr_tail = *std::move(words);
  if (own_) {
    server.log = server.log == 0 ? ++logs_ : server.log;
    if (const Result<void> written = own_->write_log(server.log, server.stderr_tail); !written) {
      log::debug("run record: " + written.error().message());
    }
  }
}

void RunPublisher::publish() {
  if (telling_ == RunTelling::when_asked) {
    store_failures();
  } else {
    write_record();
  }
}

// Kept at once: should this process be killed, nobody finds a record of what it knew.
void RunPublisher::store_failures() {
  (void)record();
  for (auto& [name, server] : servers_) {
    if (server.error != server.stored_error) {
      server.stored_error = server.error;
      save(name,
           server.error.empty() ? Server{.identity = server.identity,
                                         .stderr_tail = {},
                                         .error = {},
                                         .stored_error = {}}
                                : server);
    }
  }
}

void RunPublisher::write_record() {
  const bool idle = !own_ && std::ranges::none_of(statuses(), is_used);
  if (failed_ || idle) {
    return;
  }
  if (!own_) {
    std::optional<runs::OwnRun> own =
        runs::OwnRun::open_or_tell(runs::RunFolder(session_->settings().agent_dir));
    failed_ = !own;
    if (failed_) {
      return;
    }
    own_.emplace(*std::move(own));
  }
  if (const Result<void> written = own_->write(record(), io::epoch_now()); !written) {
    log::debug("run record: " + written.error().message());
  }
}

io::Task<void> RunPublisher::stop() {
  (void)record();  // who was used
  session_->remove_observer(*this);
  co_await publishing_.stop();
}

void RunPublisher::save(const std::string& name, const Server& server) const {
  runs::RunFolder(session_->settings().agent_dir)
      .save({.server = name,
             .identity = server.identity,
             .client = facts_.client,
             .cwd = facts_.cwd,
             .error = server.error,
             .wants_login = server.wants_login,
             .stderr_tail = server.stderr_tail,
             .ended_at = io::epoch_now()});
}

void RunPublisher::bury() {
  (void)record();  // takes what was said last
  for (const auto& [name, server] : servers_) {
    if (server.ran) {
      save(name, server);
    }
  }
  if (own_) {
    own_->remove();
  }
}

}  // namespace pi_mcp::gateway
