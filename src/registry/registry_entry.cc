#include "registry/registry_entry.h"

#include <utility>

#include <boost/asio/this_coro.hpp>

#include "config/identity.h"
#include "config/server.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "mcp/methods.h"
#include "runs/run_record.h"
#include "secrets/mask.h"
#include "servers/launch/host_remedy.h"
#include "servers/lifecycle.h"
#include "servers/share/roots.h"

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

mcp::ClientFeatures declared_features(const servers::HostLink* host,
                                      const config::Settings& settings,
                                      const config::Server* server) {
  mcp::ClientFeatures features = host != nullptr ? host->features() : mcp::ClientFeatures{};
  if (!settings.elicitation) {
    features.elicitation_form = features.elicitation_url = false;
  }
  features.sampling = features.sampling || (std::exchange(features.unattended_sampling, false) &&
                                            settings.sampling_auto_approve);
  if (!settings.sampling) {
    features.sampling = features.sampling_tools = features.sampling_context = false;
  }
  if (server != nullptr && !server->roots) {
    features.roots = features.roots_list_changed = false;
  }
  return features;
}

// A launch is resolved once for all who wait.
struct RegistryEntry::Resolution {
  explicit Resolution(const io::Executor& executor) : ended(executor) {}

  io::Condition ended;
  std::optional<Result<servers::Launch>> launch;  // nullopt once it has ended: cancelled
};

// Hears of the start as long as it lives.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): Pinned has deleted them.
class RegistryEntry::PhaseListener : Pinned {
 public:
  PhaseListener(RegistryEntry& entry, PhaseSink sink) : entry_(entry), sink_(std::move(sink)) {
    entry_.listeners_.push_back(this);
  }
  ~PhaseListener() { std::erase(entry_.listeners_, this); }

  void hear(std::string_view what) const {
    if (sink_) {
      sink_(what.empty() ? "starting " + entry_.name() : what);
    }
  }

 private:
  RegistryEntry& entry_;
  PhaseSink sink_;
};

std::shared_ptr<servers::Connection> RegistryEntry::connected() const {
  return connection_ && connection_->is_open() ? connection_ : nullptr;
}

std::optional<RegistryEntry::Failure> RegistryEntry::standing_failure() const {
  std::optional<Failure> failure = unresolved_;
  if (!failure && !key_.empty()) {
    const servers::PoolStatus status = context_.pool.status(key_);
    const bool stands = status.state == servers::LifecycleState::failed ||
                        status.state == servers::LifecycleState::waiting;
    if (stands && status.failed_at) {
      failure = Failure{.at = *status.failed_at,
                        .reason = status.reason,
                        .code = status.code,
                        .remedy = status.remedy,
                        .refuses_use = status.refuses_use};
    }
  }
  return failure;
}

std::optional<RegistryEntry::Failure> RegistryEntry::recent_failure() const {
  constexpr Milliseconds backoff = servers::LifecycleLimits{}.failure_backoff;
  const std::optional<Failure> failure = standing_failure();
  const bool recent = failure && io::now() - failure->at < backoff;
  return recent ? failure : std::nullopt;
}

servers::ServerStatus::State RegistryEntry::state(const catalog::Catalog& catalog) const {
  using State = servers::ServerStatus::State;
  if (server_->standing == config::Standing::needs_trust) {
    return State::needs_trust;
  }
  if (server_->disabled) {
    return State::disabled;
  }
  if (connected()) {
    return State::connected;
  }
  const servers::LifecycleState now = context_.pool.status(key_).state;
  if (now == servers::LifecycleState::starting || resolution_) {
    return State::connecting;
  }
  if (const std::optional<Failure> failure = standing_failure()) {
    return failure->code == ErrorCode::unauthorized ? State::needs_auth : State::failed;
  }
  if (now == servers::LifecycleState::waiting) {
    return State::connecting;
  }
  const bool cached = catalog.knowledge(name()) != catalog::Knowledge::unknown;
  return cached ? State::cached : State::not_connected;
}

servers::ServerStatus RegistryEntry::status(const catalog::Catalog& catalog) const {
  servers::ServerStatus status;
  status.name = name();
  status.state = state(catalog);
  status.is_projects = server_->standing != config::Standing::user;
  status.tools = catalog.tools(name()).size();
  status.notes = catalog.notes(name());
  status.reason = server_->hidden ? config::hidden_by(*server_) : server_->problem.value_or("");
  const bool is_connected = status.state == servers::ServerStatus::State::connected;
  if (const std::optional<Failure> failure = standing_failure(); failure && !is_connected) {
    status.failed_seconds_ago = seconds_since(failure->at);
    status.reason = failure->reason;
  }
  if (last_failure_) {
    status.last_error = last_failure_->reason;
    status.last_error_seconds_ago = seconds_since(last_failure_->at);
    status.recovered = recovered_;
    status.wants_login = last_failure_->code == ErrorCode::unauthorized;
  }
  const servers::PoolStatus pooled =
      key_.empty() ? servers::PoolStatus{} : context_.pool.status(key_);
  status.restarts = pooled.restarts;
  if (is_connected) {
    status.process_id = connection_->process_id();
    status.connected_seconds =
        pooled.connected_at ? std::optional(seconds_since(*pooled.connected_at)) : std::nullopt;
  }
  return status;
}

io::Task<RegistryEntry::Opened> RegistryEntry::start(servers::Use use,
                                                     std::optional<mcp::Era> era,
                                                     PhaseSink on_phase) {
  const PhaseListener listener(*this, std::move(on_phase));
  Result<servers::Launch> launch = co_await resolve();
  if (retired_) {
    co_return fail(ErrorCode::cancelled, "its configuration has changed");
  }
  unresolved_.reset();
  if (!launch) {
    const ErrorCode code = launch.error().code();
    std::string reason = without_prefix(launch.error().message(), name());
    const std::string remedy = launch_remedy(code);
    reason += (remedy.empty() ? "" : ". ") + remedy;
    if (code != ErrorCode::cancelled) {
      unresolved_ = Failure{
          .at = io::now(), .reason = reason, .code = code, .remedy = launch.error().remedy()};
      last_failure_ = unresolved_;
      recovered_ = false;
      note_change();
    }
    co_return fail(launch.error().saying(std::move(reason)));
  }
  deadlines_ = launch->deadlines;
  secrets_ = launch->secrets;
  launch->era = std::move(era);
  introduce(*launch);
  launch = co_await place(*std::move(launch));
  if (retired_) {
    co_return fail(ErrorCode::cancelled, "its configuration has changed");
  }
  const std::optional<mcp::Era> known = launch->era;
  follow(launch->key());
  note_change();
  Opened connection = co_await context_.pool.acquire(*std::move(launch), use);
  if (retired_) {
    co_return connection;
  }
  if (connection && key_.empty()) {  // it was parted from it meanwhile
    co_return co_await start(use, known, {});
  }
  if (!connection) {
    const Error& error = connection.error();
    co_return fail(error.saying(without_prefix(error.message(), name())));
  }
  adopt(*connection);
  co_return connection;
}

// For a variable that the host may not have handed on.
std::string RegistryEntry::launch_remedy(ErrorCode code) const {
  if (code != ErrorCode::invalid_argument || !context_.host) {
    return {};
  }
  return servers::host_remedy(
      context_.host->name(),
      servers::missing_variables(*server_, context_.configuration.environment()));
}

io::Task<void> RegistryEntry::stop() {
  if (!key_.empty()) {
    co_await context_.pool.stop(key_);
  }
}

// One resolution at a time, for all who wait. When it is cancelled, one of them goes on.
io::Task<Result<servers::Launch>> RegistryEntry::resolve() {
  while (const std::shared_ptr<Resolution> shared = resolution_) {
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
  resolution_ = own;
  config::Server server = *server_;
  const servers::Sharing shared = sharing();
  Result<servers::Launch> launch =
      co_await servers::resolve_launch(std::move(server),
                                       context_.configuration.environment(),
                                       context_.configuration.settings(),
                                       shared);
  resolution_.reset();
  if (launch || launch.error().code() != ErrorCode::cancelled) {
    own->launch = launch;
  }
  own->ended.notify_all();
  co_return launch;
}

void RegistryEntry::follow(const std::string& key) {
  if (key_ != key) {
    context_.pool.release(this);
    key_ = key;
    lease();
  }
}

void RegistryEntry::lease() {
  const config::Settings& settings = context_.configuration.settings();
  servers::Lease lease;
  lease.policy = servers::lifecycle_policy(*server_, settings);
  lease.linger = settings.shared_linger;
  lease.rest_max = servers::claim_rest(*server_, settings);
  lease.session = context_.id;
  lease.session_name = context_.scope();
  if (server_->standing != config::Standing::user) {
    lease.project_entry = config::entry_identity(*server_);
  }
  lease.features = declared();
  lease.parted = [this] {
    leave();
  };
  lease.told_roots = [this](const std::string& roots, bool is_own) {
    note_roots(roots, is_own);
  };
  lease.started = [this](const std::shared_ptr<servers::Connection>& connection) {
    adopt(connection);
  };
  lease.failed = [this] {
    note_failure();
  };
  lease.host = [this] {
    return context_.host;
  };
  servers::ConnectionEvents& events = lease.events;
  events.listing_changed = [this](const mcp::Listing&) {
    if (connection_) {  // else it comes with the connection
      context_.on_listing(*this);
      keep_if_stateful();
    }
  };
  events.lists_changed = [this](mcp::ChangedLists lists) {
    context_.observer.lists_changed(name(), lists);
  };
  events.asked = [this](const mcp::action::Asked& asked) {
    note_asked(asked);
  };
  events.log_message = [this](json::Value params, const void* /*session*/) {
    const Result<json::Document> shown =
        json::Document::parse(secrets::mask_known(params, secrets_));
    context_.observer.server_said(name(), shown ? shown->root() : json::Value());
  };
  events.elicitation_complete = [this](json::Value params, const void* /*session*/) {
    if (context_.host && context_.host->features().elicitation_url) {
      context_.observer.elicitation_completed(params);
    }
  };
  events.resource_updated = [this](json::Value params) {
    context_.observer.resource_updated(name(), params.find("uri").string_or(""));
  };
  events.starting = [this](std::string_view what) {
    for (const PhaseListener* listener : listeners_) {
      listener->hear(what);
    }
  };
  events.wrote_stderr = [this] {
    if (!wrote_stderr_) {
      wrote_stderr_ = true;
      note_change();
    }
  };
  events.ended = [this](const transport::LinkEnd&) {
    on_end();
  };
  context_.pool.lease(key_, this, std::move(lease));
}

void RegistryEntry::adopt(const std::shared_ptr<servers::Connection>& connection) {
  // The first who hears of a start learns for all others, and may part them from it.
  if (connection_ != connection && !key_.empty()) {
    connection_ = connection;
    recovered_ = true;
    wrote_stderr_ = true;  // what it says while it starts is readable from here on
    tell_log_level();
    context_.on_listing(*this);
    keep_if_stateful();
    note_change();
    if (const std::optional<Notice> back = notices_.ready(name(), io::now())) {
      context_.observer.noticed(*back);
    }
  }
}

void RegistryEntry::tell_log_level() {
  if (connection_ && context_.log_level) {
    connection_->want_log_level(this, context_.log_level);
  }
}

void RegistryEntry::forget_connection() {
  if (connection_) {
    connection_->want_log_level(this, std::nullopt);
    connection_.reset();
  }
}

void RegistryEntry::on_end() {
  // The end of an older connection may be told after a newer one was adopted.
  if (connection_ && !connection_->is_open()) {
    context_.on_lost(*this);
    connection_.reset();
  }
  note_failure();
  tell_end();
}

// One that is stopped, or ends when nobody wants it to stay, is not news.
void RegistryEntry::tell_end() {
  using config::LifecycleMode;
  const LifecycleMode mode = server_->lifecycle;
  const servers::PoolStatus now = context_.pool.status(key_);
  const bool starts_again = now.state == servers::LifecycleState::starting ||
                            now.state == servers::LifecycleState::waiting;
  const bool stays = mode == LifecycleMode::keep_alive || mode == LifecycleMode::lazy_keep_alive;
  if (!stays || !starts_again || now.reason.empty()) {
    return;
  }
  if (const std::optional<Notice> end = notices_.ended(name(), now.reason, io::now())) {
    context_.observer.noticed(*end);
  }
}

// The pool has no reason for an end that it wanted itself.
void RegistryEntry::note_failure() {
  servers::PoolStatus now = context_.pool.status(key_);
  if (!now.reason.empty()) {
    last_failure_ = Failure{.at = io::now(), .reason = std::move(now.reason), .code = now.code};
    recovered_ = false;
  }
  wrote_stderr_ = true;
  note_change();
}

void RegistryEntry::configure(Configuration::ServerPtr server) {
  server_ = std::move(server);
  if (!key_.empty()) {
    lease();  // with its new policy
  }
}

void RegistryEntry::retire() {
  retired_ = true;
  context_.pool.release(this);
  forget_connection();
}

void RegistryEntry::leave() {
  context_.pool.release(this);
  forget_connection();
  key_.clear();
  note_change();
}

void RegistryEntry::release() {
  if (context_.configuration.sharing().claims_rest) {
    context_.pool.rest(this);
  } else {
    context_.pool.release(this);
  }
  forget_connection();
  wrote_stderr_ = true;  // what it says while it ends
}

std::optional<std::string> RegistryEntry::new_stderr() {
  if (key_.empty() || !std::exchange(wrote_stderr_, false)) {
    return std::nullopt;
  }
  return stderr_text();
}

std::string RegistryEntry::stderr_text() const {
  return key_.empty() ? std::string()
                      : runs::kept_stderr(context_.pool.stderr_tail(key_), secrets_);
}

}  // namespace pi_mcp::registry
