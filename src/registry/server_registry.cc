#include "registry/server_registry.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "io/loop/clock.h"
#include "io/loop/random.h"
#include "registry/registry_entry.h"
#include "runs/run_record.h"

namespace pi_mcp::registry {
namespace {

// Messages of a start begin with the server's name, which our sentences say themselves.
std::string without_prefix(const std::string& message, const std::string& server) {
  return message.starts_with(server + ": ") ? message.substr(server.size() + 2) : message;
}

std::int64_t seconds_since(TimePoint when) {
  return std::chrono::round<std::chrono::seconds>(io::now() - when).count();
}

}  // namespace

ServerRegistry::ServerRegistry(servers::Pool& pool,
                               CatalogStore& catalogs,
                               config::Settings settings,
                               config::Environment environment,
                               SessionObserver& observer)
    : Configuration(std::move(settings), std::move(environment)),
      pool_(pool),
      catalogs_(catalogs),
      known_(catalogs.shared(basis())),
      observer_(observer),
      name_(io::random_hex(8)) {
  known_->add_reader(observer_);
  for (ServerPtr& server : servers()) {
    add_server(std::move(server), std::make_shared<Entry>());
  }
}

ServerRegistry::~ServerRegistry() {
  release();
  known_->remove_reader(observer_);
}

SharedCatalog::Basis ServerRegistry::basis() const {
  return {.settings = shared_settings(), .environment = shared_environment()};
}

void ServerRegistry::add_server(ServerPtr server, const std::shared_ptr<Entry>& entry) {
  entry->server = std::move(server);
  by_name_.emplace(entry->server->name, entry);
  entries_.push_back(entry);
}

std::shared_ptr<ServerRegistry::Entry> ServerRegistry::shared_entry(std::string_view server) const {
  const auto found = by_name_.find(server);
  return found == by_name_.end() ? nullptr : found->second;
}

ServerRegistry::Entry* ServerRegistry::entry(std::string_view server) const {
  const auto found = by_name_.find(server);
  return found == by_name_.end() ? nullptr : found->second.get();
}

// The last failed start while it is young enough to refuse implicit ones. The pool also knows what
// another session tried with the same launch.
std::optional<ServerRegistry::Failure> ServerRegistry::recent_failure(const Entry& entry) const {
  std::optional<Failure> failure = entry.unresolved;
  if (!failure && !entry.key.empty()) {
    const servers::PoolStatus status = pool_.status(entry.key);
    const bool stands = status.state == servers::LifecycleState::failed ||
                        status.state == servers::LifecycleState::waiting;
    if (stands && status.failed_at) {
      failure = Failure{.at = *status.failed_at, .reason = status.reason, .code = entry.code};
    }
  }
  constexpr Milliseconds backoff = servers::LifecycleLimits{}.failure_backoff;
  const bool recent = failure && io::now() - failure->at < backoff;
  return recent ? failure : std::nullopt;
}

servers::ServerStatus::State ServerRegistry::state_of(const Entry& entry) const {
  using State = servers::ServerStatus::State;
  if (entry.server->standing == config::Standing::needs_trust) {
    return State::needs_trust;
  }
  if (entry.server->disabled) {
    return State::disabled;
  }
  if (entry.connection && entry.connection->is_open()) {
    return State::connected;
  }
  const servers::LifecycleState now = pool_.status(entry.key).state;
  if (now == servers::LifecycleState::starting) {
    return State::connecting;
  }
  if (const std::optional<Failure> failure = recent_failure(entry)) {
    return failure->code == ErrorCode::unauthorized ? State::needs_auth : State::failed;
  }
  if (now == servers::LifecycleState::waiting) {
    return State::connecting;
  }
  const bool cached = catalog().knowledge(entry.server->name) != catalog::Knowledge::unknown;
  return cached ? State::cached : State::not_connected;
}

servers::ServerStatus ServerRegistry::status(std::string_view server) const {
  servers::ServerStatus status;
  status.name = server;
  const Entry* found = entry(server);
  if (found == nullptr) {
    return status;
  }
  status.state = state_of(*found);
  status.is_projects = found->server->standing != config::Standing::user;
  status.tools = catalog().tools(server).size();
  status.notes = catalog().notes(server);
  status.reason = found->server->problem.value_or("");
  if (const std::optional<Failure> failure = recent_failure(*found);
      failure && status.state != servers::ServerStatus::State::connected) {
    status.failed_seconds_ago = seconds_since(failure->at);
    status.reason = failure->reason;
  }
  if (found->last_failure) {
    status.last_error = found->last_failure->reason;
    status.last_error_seconds_ago = seconds_since(found->last_failure->at);
  }
  status.restarts = found->key.empty() ? 0 : pool_.status(found->key).restarts;
  if (status.state == servers::ServerStatus::State::connected) {
    status.process_id = found->connection->process_id();
    const std::optional<TimePoint> since = pool_.status(found->key).connected_at;
    status.connected_seconds = since ? std::optional(seconds_since(*since)) : std::nullopt;
  }
  return status;
}

std::vector<servers::ServerStatus> ServerRegistry::statuses() const {
  std::vector<servers::ServerStatus> all;
  all.reserve(entries_.size());
  for (const std::shared_ptr<Entry>& entry : entries_) {
    all.push_back(status(entry->server->name));
  }
  return all;
}

std::optional<Backoff> ServerRegistry::backoff(std::string_view server) const {
  const Entry* found = entry(server);
  const std::optional<Failure> failure = found == nullptr ? std::nullopt : recent_failure(*found);
  if (!failure) {
    return std::nullopt;
  }
  return Backoff{.seconds_ago = seconds_since(failure->at), .reason = failure->reason};
}

std::shared_ptr<servers::Connection> ServerRegistry::connected(std::string_view server) const {
  const Entry* found = entry(server);
  const bool open = found != nullptr && found->connection && found->connection->is_open();
  return open ? found->connection : nullptr;
}

catalog::Knowledge ServerRegistry::knowledge(std::string_view server) const {
  const bool known = catalog().knowledge(server) != catalog::Knowledge::unknown;
  return !known              ? catalog::Knowledge::unknown
         : connected(server) ? catalog::Knowledge::live
                             : catalog::Knowledge::cached;
}

bool ServerRegistry::is_unresolved(std::string_view server) const {
  const Entry* found = entry(server);
  return found != nullptr && found->unresolved.has_value();
}

servers::Deadlines ServerRegistry::deadlines(std::string_view server) const {
  const Entry* found = entry(server);
  return found == nullptr ? servers::Deadlines{} : found->deadlines;
}

// Hears of one entry's start as long as it lives.
class ServerRegistry::PhaseListener {
 public:
  PhaseListener(Entry& entry, PhaseSink sink) : entry_(entry), sink_(std::move(sink)) {
    entry_.listeners.push_back(this);
  }
  PhaseListener(const PhaseListener&) = delete;
  PhaseListener& operator=(const PhaseListener&) = delete;
  PhaseListener(PhaseListener&&) = delete;
  PhaseListener& operator=(PhaseListener&&) = delete;
  ~PhaseListener() { std::erase(entry_.listeners, this); }

  void hear(std::string_view what) const {
    if (sink_) {
      sink_(what.empty() ? "starting " + entry_.server->name : what);
    }
  }

 private:
  Entry& entry_;
  PhaseSink sink_;
};

io::Task<Result<std::shared_ptr<servers::Connection>>> ServerRegistry::open(std::string server,
                                                                            servers::Use use,
                                                                            PhaseSink on_phase) {
  // A newer configuration may put it aside while this waits.
  const std::shared_ptr<Entry> found = shared_entry(server);
  if (!found) {
    co_return fail(ErrorCode::not_found, "server \"" + server + "\" is not configured");
  }
  // Another session may have opened it; then no secret command has to run again.
  if (std::shared_ptr<servers::Connection> open = connected(server)) {
    const Result<void> fresh =
        use == servers::Use::on_demand ? co_await open->refresh() : Result<void>();
    if (fresh) {
      co_return open;
    }
    // Whoever asks to connect to a server that proves dead wants a new start.
    if (open->is_open() || fresh.error().code() == ErrorCode::cancelled) {
      co_return fail(Error(fresh.error()).while_doing("reading its lists again"));
    }
  }
  const PhaseListener listener(*found, on_phase);
  Result<std::shared_ptr<servers::Connection>> connection = co_await start(found, use);
  if (found->retired) {
    co_return co_await open(std::move(server), use, std::move(on_phase));
  }
  if (!connection) {
    found->code = connection.error().code();
    co_return fail(found->code, without_prefix(connection.error().message(), server));
  }
  co_return connection;
}

io::Task<Result<std::shared_ptr<servers::Connection>>> ServerRegistry::reopen(std::string server) {
  const Entry* found = entry(server);
  if (found != nullptr && !found->key.empty()) {
    co_await pool_.stop(found->key);
  }
  co_return co_await open(std::move(server), servers::Use::on_demand);
}

io::Task<Result<std::shared_ptr<servers::Connection>>> ServerRegistry::start(
    std::shared_ptr<Entry> entry, servers::Use use) {
  Result<servers::Launch> launch = co_await resolve(entry);
  if (entry->retired) {
    co_return fail(ErrorCode::cancelled, "its configuration has changed");
  }
  entry->unresolved.reset();
  if (!launch) {
    const Error& error = launch.error();
    if (error.code() != ErrorCode::cancelled) {
      entry->unresolved = Failure{.at = io::now(),
                                  .reason = without_prefix(error.message(), entry->server->name),
                                  .code = error.code()};
      entry->last_failure = entry->unresolved;
      note_change();
    }
    co_return fail(error);
  }
  entry->deadlines = launch->deadlines;
  entry->secrets = launch->secrets;
  introduce(*launch);
  follow(*entry, launch->key());
  note_change();
  Result<std::shared_ptr<servers::Connection>> connection =
      co_await pool_.acquire(*std::move(launch), use);
  if (connection && !entry->retired) {
    adopt(*entry, *connection);
  }
  co_return connection;
}

// What the server is told of our host, in the launch of its connection.
void ServerRegistry::introduce(servers::Launch& launch) const {
  if (!host_) {
    return;
  }
  launch.features = host_->features();
  if (!settings().elicitation) {
    launch.features.elicitation_form = launch.features.elicitation_url = false;
  }
  if (!settings().sampling) {
    launch.features.sampling = false;
  }
  launch.session = launch.features.roots ? name_ : "";
}

// One resolution at a time, for all who wait. When it is cancelled, one of them goes on.
io::Task<Result<servers::Launch>> ServerRegistry::resolve(std::shared_ptr<Entry> entry) {
  while (const std::shared_ptr<Resolution> shared = entry->resolution) {
    const io::Wake wake = co_await shared->ended.wait();  // bounded by the time secrets may take
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    const std::optional<Result<servers::Launch>> launch = shared->launch;
    if (launch) {
      co_return *launch;
    }
  }
  const auto own = std::make_shared<Resolution>(co_await boost::asio::this_coro::executor);
  entry->resolution = own;
  config::Server server = *entry->server;
  Result<servers::Launch> launch =
      co_await servers::resolve_launch(std::move(server), environment(), settings());
  entry->resolution.reset();
  if (launch || launch.error().code() != ErrorCode::cancelled) {
    own->launch = launch;
  }
  own->ended.notify_all();
  co_return launch;
}

void ServerRegistry::follow(Entry& entry, const std::string& key) {
  if (entry.key == key) {
    return;
  }
  pool_.unclaim(&entry);
  entry.key = key;
  claim(entry);
}

void ServerRegistry::claim(Entry& entry) {
  Entry* const followed = &entry;
  servers::Lease claim;
  claim.policy = servers::lifecycle_policy(*entry.server, settings());
  claim.started = [this, followed](const std::shared_ptr<servers::Connection>& connection) {
    adopt(*followed, connection);
  };
  claim.failed = [this, followed] {
    note_failure(*followed);
  };
  claim.host = [this] {
    return host_;
  };
  servers::ConnectionEvents& events = claim.events;
  events.listing_changed = [this, followed](const mcp::Listing& /*offer*/) {
    if (followed->connection) {  // else it comes with the connection
      bring(*followed);
    }
  };
  events.log_message = [this, followed](json::Value params) {
    observer_.server_said(followed->server->name, params);
  };
  events.elicitation_complete = [this](json::Value params) {
    if (host_ && host_->features().elicitation_url) {
      observer_.elicitation_completed(params);
    }
  };
  events.starting = [followed](std::string_view what) {
    for (const PhaseListener* listener : followed->listeners) {
      listener->hear(what);
    }
  };
  events.wrote_stderr = [this, followed] {
    if (!followed->wrote_stderr) {
      followed->wrote_stderr = true;
      note_change();
    }
  };
  events.ended = [this, followed](const transport::LinkEnd&) {
    lose(*followed);
    note_failure(*followed);
    tell_end(*followed);
  };
  pool_.claim(entry.key, followed, std::move(claim));
}

void ServerRegistry::tell_roots_changed() const {
  for (const std::shared_ptr<Entry>& entry : entries_) {
    if (entry->connection) {
      entry->connection->tell_roots_changed();
    }
  }
}

void ServerRegistry::note_change() const {
  observer_.changed({.state = true});
}

// The pool has no reason for an end that it wanted itself.
void ServerRegistry::note_failure(Entry& entry) {
  std::string reason = pool_.status(entry.key).reason;
  if (!reason.empty()) {
    entry.last_failure = Failure{.at = io::now(), .reason = std::move(reason), .code = entry.code};
  }
  entry.wrote_stderr = true;
  note_change();
}

std::optional<std::string> ServerRegistry::new_stderr(std::string_view server) {
  Entry* found = entry(server);
  if (found == nullptr || found->key.empty() || !std::exchange(found->wrote_stderr, false)) {
    return std::nullopt;
  }
  return stderr_text(server);
}

std::string ServerRegistry::stderr_text(std::string_view server) const {
  const Entry* found = entry(server);
  return found == nullptr || found->key.empty()
             ? std::string()
             : runs::kept_stderr(pool_.stderr_tail(found->key), found->secrets);
}

void ServerRegistry::release() {
  for (const std::shared_ptr<Entry>& entry : entries_) {
    pool_.unclaim(entry.get());
    entry->connection.reset();
    entry->wrote_stderr = true;  // what it says while it ends
  }
}

}  // namespace pi_mcp::registry
