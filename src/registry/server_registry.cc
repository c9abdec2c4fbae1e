#include "registry/server_registry.h"

#include <algorithm>
#include <utility>

#include "config/difference.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"

namespace pi_mcp::registry {
namespace {

bool is_same(const config::Settings& before, const config::Settings& after) {
  const auto same = [](const config::Server& one, const config::Server& other) {
    return one.name == other.name && difference(one, other) == config::Difference::none;
  };
  return difference(before, after) == config::Difference::none &&
         std::ranges::equal(before.servers, after.servers, same);
}

}  // namespace

ServerRegistry::ServerRegistry(servers::Pool& pool,
                               CatalogStore& catalogs,
                               config::Settings settings,
                               config::Environment environment,
                               SessionObserver& observer)
    : Configuration(std::move(settings), std::move(environment)),
      catalogs_(catalogs),
      observer_(observer),
      context_{.pool = pool,
               .configuration = *this,
               .observer = observer,
               .id = this,
               .session = io::random_hex(8),
               .on_listing = [this](RegistryEntry& entry) { bring(entry); },
               .on_lost =
                   [this](RegistryEntry& entry) {
                     known_->forget_live(entry.name(), entry.newest());
                   }} {
  context_.seen = [this](const RegistryEntry& entry) {
    return known_->seen(entry.name());
  };
  context_.on_seen = [this](RegistryEntry& entry, const servers::SeenOfServer& seen) {
    known_->note_seen(entry.name(), entry.connected(), seen);
    save();
  };
  known_ = catalogs_.shared(basis());
  known_->add_reader(observer_);
  for (ServerPtr& server : servers()) {
    add(std::make_shared<RegistryEntry>(context_, std::move(server)));
  }
}

ServerRegistry::~ServerRegistry() {
  release();
  known_->remove_reader(observer_);
}

SharedCatalog::Basis ServerRegistry::basis() const {
  return {.settings = shared_settings(),
          .environment = shared_environment(),
          .declared = mcp::features_text(declared_features(context_.host.get(), settings()))};
}

void ServerRegistry::meet_host(std::shared_ptr<servers::HostLink> host) {
  context_.host = std::move(host);
  context_.roots.reset();
  if (context_.host) {
    move_to(catalogs_.shared(basis()));
  }
}

void ServerRegistry::add(const std::shared_ptr<RegistryEntry>& entry) {
  by_name_.emplace(entry->name(), entry);
  entries_.push_back(entry);
}

std::shared_ptr<RegistryEntry> ServerRegistry::entry(std::string_view server) const {
  const auto found = by_name_.find(server);
  return found == by_name_.end() ? nullptr : found->second;
}

servers::ServerStatus ServerRegistry::status(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  if (found) {
    return found->status(catalog());
  }
  servers::ServerStatus unknown;
  unknown.name = server;
  return unknown;
}

std::vector<servers::ServerStatus> ServerRegistry::statuses(const EntryFilter& wanted) const {
  std::vector<servers::ServerStatus> found;
  for (const std::shared_ptr<RegistryEntry>& entry : entries_) {
    if (!wanted || wanted(*entry)) {
      found.push_back(entry->status(catalog()));
    }
  }
  return found;
}

std::optional<Backoff> ServerRegistry::backoff(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  const std::optional<RegistryEntry::Failure> failure =
      found ? found->recent_failure() : std::nullopt;
  if (!failure) {
    return std::nullopt;
  }
  return Backoff{
      .seconds_ago = std::chrono::round<std::chrono::seconds>(io::now() - failure->at).count(),
      .reason = failure->reason,
      .code = failure->code,
      .remedy = failure->remedy,
      .refuses_use = failure->refuses_use};
}

std::shared_ptr<servers::Connection> ServerRegistry::connected(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  return found ? found->connected() : nullptr;
}

catalog::Knowledge ServerRegistry::knowledge(std::string_view server) const {
  const bool known = catalog().knowledge(server) != catalog::Knowledge::unknown;
  return !known              ? catalog::Knowledge::unknown
         : connected(server) ? catalog::Knowledge::live
                             : catalog::Knowledge::cached;
}

bool ServerRegistry::is_unresolved(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  return found && found->is_unresolved();
}

servers::Deadlines ServerRegistry::deadlines(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  return found ? found->deadlines() : servers::Deadlines{};
}

io::Task<RegistryEntry::Opened> ServerRegistry::open(std::string server,
                                                     servers::Use use,
                                                     PhaseSink on_phase) {
  // A newer configuration may put it aside while this waits.
  const std::shared_ptr<RegistryEntry> found = entry(server);
  if (!found) {
    co_return fail(ErrorCode::not_found, "server \"" + server + "\" is not configured");
  }
  // Another session may have opened it; then no secret command has to run again.
  if (std::shared_ptr<servers::Connection> open = found->connected()) {
    const Result<void> fresh =
        use == servers::Use::on_demand ? co_await open->refresh() : Result<void>();
    if (fresh) {
      co_return open;
    }
    // Somebody who asks to connect to a server that turns out dead wants a new start. One behind a
    // url may live and take nothing any more over this link: then a new handshake may help.
    const ErrorCode code = fresh.error().code();
    const bool may_begin_anew =
        found->server().url && open->calls_in_flight() == 0 && code != ErrorCode::unauthorized;
    if (code == ErrorCode::cancelled || (open->is_open() && !may_begin_anew)) {
      co_return fail(Error(fresh.error()).while_doing("reading its lists again"));
    }
    if (open->is_open()) {
      co_await found->stop();
    }
  }
  RegistryEntry::Opened connection = co_await found->start(use, known_->era(server), on_phase);
  if (found->is_retired()) {
    co_return co_await open(std::move(server), use, std::move(on_phase));
  }
  co_return connection;
}

io::Task<RegistryEntry::Opened> ServerRegistry::reopen(std::string server) {
  if (const std::shared_ptr<RegistryEntry> found = entry(server)) {
    co_await found->stop();
  }
  co_return co_await open(std::move(server), servers::Use::on_demand);
}

// Another session may have brought it already. Where its server and ours list different things, as
// those of two folders can, each session has a catalog of its own.
void ServerRegistry::bring(RegistryEntry& entry) {
  const SharedCatalog::Taken taken = known_->take(entry.name(), entry.newest());
  if (taken == SharedCatalog::Taken::refused) {
    move_to(catalogs_.apart(basis()));
    observer_.changed({.listings = true});
  }
  if (taken == SharedCatalog::Taken::known) {
    return;
  }
  save();
}

void ServerRegistry::save() {
  if (saving_ != nullptr) {
    saving_->ask();
  } else {
    known_->save();
  }
}

// What this session has seen itself holds in the new catalog too. Tells nobody here.
void ServerRegistry::move_to(std::shared_ptr<SharedCatalog> catalog) {
  if (catalog == known_) {
    return;
  }
  known_->save();  // other catalogs look up there what they know
  if (known_->lets_extensions_find()) {
    catalog->let_extensions_find();
  }
  known_->remove_reader(observer_);
  known_ = std::move(catalog);
  for (const std::shared_ptr<RegistryEntry>& entry : entries_) {
    if (entry->connected() &&
        known_->take(entry->name(), entry->newest()) == SharedCatalog::Taken::refused) {
      move_to(catalogs_.apart(basis()));
      return;
    }
  }
  known_->add_reader(observer_);
}

bool ServerRegistry::try_handshake(std::string_view server) {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  const std::optional<mcp::Era> era = known_->era(server);
  if (!found || !found->connected() || !era || era->tried_handshake) {
    return false;
  }
  known_->expect_session(found->name(), found->connected());
  found->leave();
  save();
  return true;
}

bool ServerRegistry::has_stale_lists(std::string_view server) const {
  if (const std::shared_ptr<servers::Connection> open = connected(server)) {
    return open->has_stale_lists();
  }
  const std::optional<EpochMs> until = known_->fresh_until(server);
  return until && io::epoch_now() >= *until;
}

void ServerRegistry::note_use(std::string_view server) const {
  for (const std::shared_ptr<RegistryEntry>& each : entries_) {
    if (each->newest() && (server.empty() || each->name() == server)) {
      each->newest()->note_use();
    }
  }
}

std::vector<std::string> ServerRegistry::reload(config::Settings newer) {
  std::vector<std::string> fresh;
  if (is_same(settings(), newer)) {
    replace_words(std::move(newer));
    return fresh;
  }
  const bool same_limits = difference(settings(), newer) != config::Difference::launch;
  replace(std::move(newer));
  std::vector<std::shared_ptr<RegistryEntry>> old = std::exchange(entries_, {});
  by_name_.clear();
  for (ServerPtr& server : servers()) {
    const auto same = std::ranges::find_if(old, [&](const std::shared_ptr<RegistryEntry>& entry) {
      return entry && entry->name() == server->name && same_limits &&
             difference(entry->server(), *server) != config::Difference::launch;
    });
    if (same != old.end()) {
      const std::shared_ptr<RegistryEntry> stays = std::exchange(*same, nullptr);
      stays->configure(std::move(server));
      add(stays);
      continue;
    }
    if (!server->disabled) {
      fresh.push_back(server->name);
    }
    add(std::make_shared<RegistryEntry>(context_, std::move(server)));
  }
  for (const std::shared_ptr<RegistryEntry>& entry : old) {
    if (entry) {
      entry->retire();
    }
  }
  move_to(catalogs_.shared(basis()));
  observer_.changed({.state = true});
  return fresh;
}

void ServerRegistry::tell_roots_changed() {
  context_.roots.reset();
  for (const std::shared_ptr<RegistryEntry>& entry : entries_) {
    entry->tell_roots_changed();
  }
}

void ServerRegistry::want_log_level(mcp::LogLevel level) {
  context_.log_level = level;
  for (const std::shared_ptr<RegistryEntry>& entry : entries_) {
    entry->tell_log_level();
  }
}

std::optional<std::string> ServerRegistry::new_stderr(std::string_view server) {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  return found ? found->new_stderr() : std::nullopt;
}

std::string ServerRegistry::stderr_text(std::string_view server) const {
  const std::shared_ptr<RegistryEntry> found = entry(server);
  return found ? found->stderr_text() : std::string();
}

void ServerRegistry::release() {
  for (const std::shared_ptr<RegistryEntry>& entry : entries_) {
    entry->release();
  }
}

}  // namespace pi_mcp::registry
