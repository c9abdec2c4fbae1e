#include "gateway/session.h"

#include <optional>
#include <set>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/count_text.h"
#include "base/log.h"
#include "config/load.h"
#include "gateway/output_limits.h"
#include "io/files/temp_files.h"
#include "io/loop/clock.h"
#include "io/loop/paced_work.h"
#include "io/loop/random.h"
#include "io/loop/sleep.h"
#include "io/loop/task_group.h"
#include "registry/search_index.h"
#include "registry/server_registry.h"
#include "render/output_guard.h"
#include "servers/lifecycle.h"
#include "tool/answer.h"
#include "tool/consent/approval_gate.h"
#include "tool/consent/trust_gate.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/mode_parts.h"
#include "tool/modes/logins.h"
#include "tool/schema_cache.h"

namespace pi_mcp::gateway {
namespace {

// Writing takes longer the larger the cache is, so no call waits for it, and the listings of
// servers that start together are written once.
constexpr Milliseconds save_pause{250};
// Outputs of earlier runs are looked for once the host has asked for its tools: a folder for
// temporary files may be long.
constexpr Milliseconds first_sweep_after{1'000};

tool::Answer only_for_mcp_write(const tool::ToolRequest& request) {
  const tool::NextStep step{.mode = request.mode, .subject = request.subject, .writes = true};
  return tool::Reply(request.mode,
                     tool::Failure::usage,
                     "needs_mcp_write",
                     "mcp only reads here. Use " + tool::Message(step) + ".")
      .take();
}

io::Task<tool::Answer> ready(tool::Answer answer) {
  co_return answer;
}

}  // namespace

// Hears the registry, and tells the session's observers what follows from that.
struct Session::State final : registry::SessionObserver {
  State(servers::Pool& pool,
        registry::CatalogStore& catalogs,
        config::Settings settings,
        config::Environment environment,
        Options options)
      : registry(pool, catalogs, std::move(settings), std::move(environment), *this),
        index(registry),
        direct(registry, options.host),
        gate(registry, options.host),
        logins(&registry, this),
        prompts(registry),
        own_resources(registry, direct),
        owners(registry),
        resources(registry,
                  owners,
                  gate,
                  options.host == render::HostKind::pi ? &own_resources : nullptr),
        through(options.through
                    ? std::make_unique<tool::Through>(registry, *std::move(options.through))
                    : nullptr),
        config(std::move(options.config)),
        trust(registry, config),
        files(temp_dir(registry.environment())) {
    registry.share(std::move(options.sharing));
    if (through) {
      resources.stand_for(through->server());
    }
    config.begin_session = [this, forget = std::move(config.begin_session)](const std::string& id) {
      gate.begin_session(id);
      trust.begin_session();
      if (forget) {
        forget(id);
      }
    };
    parts.registry = &registry;
    parts.index = &index;
    parts.schemas = &schemas;
    parts.gate = &gate;
    parts.direct = &direct;
    parts.logins = &logins;
    parts.owners = &owners;
    parts.trust = &trust;
    parts.access = &config;
    parts.marks_of = [this](const catalog::CatalogTool& tool) {
      return gate.marks(tool);
    };
    // A search makes the tools it shows direct where directTools is "search".
    parts.on_shown = [this] {
      tell_changes();
    };
    parts.host = options.host;
    is_shell = options.is_shell;
    parts.observers = &observers;
    parts.first_wait = options.first_wait;
    parts.start = [this](const io::Executor& executor, const std::string& server) {
      begin_warming(executor);
      warm_up(server);
    };
    take_limits();
    parts.save_output = [this](std::string_view extension, std::string_view bytes) {
      return files.write(extension, bytes, io::epoch_now());
    };
  }

  void take_limits();
  void begin_warming(const io::Executor& executor);
  // It starts with the session, or another extension of Pi or the program that is built on it has
  // brought it, and then it is to be found at once: as on the first run of all.
  [[nodiscard]] bool starts_unasked(const config::Server& server) const;
  void warm_up(const std::string& server);
  io::Task<void> connect_in_background(std::string server);
  // It is kept alive, but its launch could not be made: the pool restarts only what it has.
  [[nodiscard]] bool must_keep_trying(const std::string& server) const;
  io::Task<void> try_until_resolved(std::string server);
  io::Task<void> sweep_files();
  void end_warming();
  void tell_warmed();
  void tell_of_many_direct_tools();
  void changed(registry::Changes changes) override;
  void lists_changed(std::string_view /*server*/, mcp::ChangedLists lists) override {
    if (through) {
      observers.changed(
          {.tools = lists.tools, .prompts = lists.prompts, .resources = lists.resources});
    }
  }
  void server_said(std::string_view server, json::Value params) override {
    observers.server_said(server, params);
  }
  void noticed(const registry::Notice& notice) override { observers.noticed(notice); }
  void elicitation_completed(json::Value params) override {
    observers.elicitation_completed(params);
  }
  void resource_updated(std::string_view server, std::string_view uri) override {
    if (resources.note_update(server, uri)) {
      observers.resource_updated(server, uri);
    }
  }
  void tell_changes() { changed({.listings = true}); }
  io::Task<tool::Answer> run(tool::ToolRequest request, tool::CallContext context);
  // run() for a request about a server of the project that the user has not allowed.
  io::Task<tool::Answer> run_admitted(tool::ToolRequest request, tool::CallContext context);

  registry::SessionObservers observers;
  registry::ServerRegistry registry;
  bool is_shell = false;
  registry::SearchIndex index;
  tool::DirectTools direct;
  tool::ApprovalGate gate;
  tool::Logins logins;
  tool::Prompts prompts;
  tool::OwnResources own_resources;
  tool::ResourceOwners owners;
  tool::Resources resources;
  std::unique_ptr<tool::Through> through;  // null: the host sees the mcp tool
  tool::ConfigAccess config;
  tool::TrustGate trust;
  tool::SchemaCache schemas;
  io::TempFiles files;
  tool::ModeParts parts;
  std::unique_ptr<io::TaskGroup> warming;
  std::unique_ptr<io::PacedWork> saving;          // null: only what is asked for is started
  std::set<std::string, std::less<>> unresolved;  // those that try_until_resolved() is about
  // Counts servers started without being asked for, since the last time that none was starting.
  struct Warmed {
    std::size_t under_way = 0;
    std::size_t wanted = 0;
    std::size_t connected = 0;
    std::size_t tools = 0;
  };
  Warmed warmed;
};

void Session::State::take_limits() {
  parts.limits = relay_limits(registry.settings(), registry.environment(), parts.host);
  parts.details_bytes_max = registry.settings().output_guard.details_bytes_max;
}

void Session::State::begin_warming(const io::Executor& executor) {
  if (!warming) {
    warming = std::make_unique<io::TaskGroup>(executor);
  }
}

bool Session::State::starts_unasked(const config::Server& server) const {
  const bool is_programs =
      registry.settings().given || server.origin.import_kind == config::registered_kind;
  const bool is_new = is_programs && !parts.tried.contains(server.name) &&
                      registry.knowledge(server.name) == catalog::Knowledge::unknown;
  return is_new || servers::starts_with_session(server.lifecycle);
}

void Session::State::warm_up(const std::string& server) {
  ++warmed.under_way;
  ++warmed.wanted;
  warming->spawn("warming up " + server,
                 connect_in_background(server),
                 [this](const std::string& /*what*/) { end_warming(); });
}

io::Task<void> Session::State::connect_in_background(std::string server) {
  const Result<std::shared_ptr<servers::Connection>> connection =
      co_await registry.open(server, servers::Use::background);
  if (connection) {
    ++warmed.connected;
    warmed.tools += registry.catalog().tools(server).size();
  } else if (connection.error().code() != ErrorCode::cancelled) {
    log::info("starting " + server + ": " + connection.error().message());
    const tool::Message why =
        connection.error().message() + tool::remedy_step(connection.error().remedy().get());
    const bool in_pi = parts.host == render::HostKind::pi;
    noticed({.level = registry::LogLevel::error,
             .text = "MCP: Failed to connect to " + server + ": " +
                     why.said_to(in_pi ? tool::Reader::pi : tool::Reader::shell)});
  }
  if (must_keep_trying(server) && unresolved.insert(server).second) {
    warming->spawn("keeping " + server,
                   try_until_resolved(server),
                   [this, server](const std::string& /*what*/) { unresolved.erase(server); });
  }
  end_warming();
}

io::Task<void> Session::State::sweep_files() {
  Milliseconds wait = first_sweep_after;
  while (co_await io::sleep_for(std::exchange(wait, io::TempFiles::sweep_pause))) {
    files.sweep(io::epoch_now());
  }
}

void Session::State::end_warming() {
  if (--warmed.under_way == 0) {
    tell_warmed();
  }
}

bool Session::State::must_keep_trying(const std::string& server) const {
  const config::Server* configured = registry.find(server);
  return configured != nullptr && configured->lifecycle == config::LifecycleMode::keep_alive &&
         registry.is_unresolved(server);
}

io::Task<void> Session::State::try_until_resolved(std::string server) {
  for (std::uint32_t tries = 0; must_keep_trying(server); ++tries) {
    const Duration delay = servers::restart_delay({}, tries, io::random_fraction());
    if (!co_await io::sleep_for(delay)) {
      break;
    }
    (void)co_await registry.open(server, servers::Use::background);  // its reason is in the status
  }
  unresolved.erase(server);
}

void Session::State::tell_warmed() {
  const Warmed all = std::exchange(warmed, {});
  if (all.connected == 0 || !registry.settings().notify_on_startup_connect) {
    return;
  }
  const std::string some =
      all.connected == all.wanted ? std::string() : std::to_string(all.connected) + "/";
  noticed({.level = registry::LogLevel::info,
           .text = "MCP: " + some + text::count_text(all.wanted, "server") + " connected (" +
                   text::count_text(all.tools, "tool") + ")"});
}

void Session::State::tell_of_many_direct_tools() {
  constexpr std::size_t many = 75;
  const std::size_t count = registry.settings().warn_on_large_direct_tools ? direct.count() : 0;
  if (count >= many) {
    noticed({.level = registry::LogLevel::warning,
             .text = "MCP: " + std::to_string(count) +
                     " direct tools are in every request to a model; mcp finds those that are not "
                     "direct when they are needed (\"warnOnLargeDirectTools\": false ends this)"});
  }
}

void Session::State::changed(registry::Changes changes) {
  if (observers.empty()) {
    return;  // nobody has asked for the lists yet
  }
  if (through) {
    const registry::Changes anew = through->take_restart();
    changes.tools = anew.tools;
    changes.prompts = anew.prompts;
    changes.resources = anew.resources;
  } else if (changes.listings) {
    changes.tools = direct.needs_notice();
    changes.prompts = prompts.needs_notice();
    changes.resources = resources.needs_notice();
  }
  resources.renew();
  observers.changed(changes);
}

// No coroutine of its own: every frame on the way of a call costs an allocation.
io::Task<tool::Answer> Session::State::run(tool::ToolRequest request, tool::CallContext context) {
  const tool::ModeRow& row = tool::row_of(request.mode);
  io::Task<tool::Answer> answer = row.changes && !request.may_write
                                      ? ready(only_for_mcp_write(request))
                                      : row.run(&parts, std::move(request), std::move(context));
  return logins.wants_look() ? logins.look_first(std::move(answer)) : std::move(answer);
}

io::Task<tool::Answer> Session::State::run_admitted(tool::ToolRequest request,
                                                    tool::CallContext context) {
  if (std::optional<tool::Answer> refused = co_await trust.admit(request, context)) {
    co_return *std::move(refused);
  }
  co_return co_await run(std::move(request), std::move(context));
}

Session::Session(servers::Pool& pool,
                 registry::CatalogStore& catalogs,
                 config::Settings settings,
                 config::Environment environment,
                 Options options)
    : state_(std::make_unique<State>(
          pool, catalogs, std::move(settings), std::move(environment), std::move(options))) {}

Session::~Session() = default;

io::Task<void> Session::warm_up() {
  registry::ServerRegistry& registry = state_->registry;
  const std::set<std::string> first = co_await tool::first_run_servers(&registry);
  if (host_kind() == render::HostKind::pi) {
    registry.known().let_extensions_find();
  }
  if (!state_->saving) {
    const io::Executor executor = co_await boost::asio::this_coro::executor;
    state_->begin_warming(executor);
    state_->saving = std::make_unique<io::PacedWork>(
        executor, "tool cache", save_pause, [&registry] { registry.known().save(); });
    state_->saving->start();
    registry.pace_saves(state_->saving.get());
    state_->warming->spawn("sweeping outputs", state_->sweep_files(), io::log_only);
  }
  state_->tell_of_many_direct_tools();
  for (const config::Server& server : registry.settings().servers) {
    if (!server.disabled && (first.contains(server.name) || state_->starts_unasked(server))) {
      state_->warm_up(server.name);
    }
  }
}

std::unique_ptr<tool::QuickCall> Session::begin_quick_call(const tool::ToolRequest& request,
                                                           const tool::CallContext& context,
                                                           tool::QuickCall::Ended ended) {
  return request.mode == tool::Mode::call && !state_->trust.concerns(request)
             ? tool::begin_quick_call(&state_->parts, request, context, std::move(ended))
             : nullptr;
}

io::Task<tool::Answer> Session::run(tool::ToolRequest request, tool::CallContext context) {
  return state_->trust.concerns(request)
             ? state_->run_admitted(std::move(request), std::move(context))
             : state_->run(std::move(request), std::move(context));
}

std::string Session::text_of(const tool::Answer& answer, tool::Reader reader) {
  std::vector<render::Block> blocks = {render::Block::of_text(tool::text_of(answer, reader))};
  render::cut_texts(blocks, state_->parts.limits.text, state_->parts.save_output);
  return std::string(blocks.front().text.view());
}

void Session::reload(config::Settings settings) {
  registry::ServerRegistry& registry = state_->registry;
  const std::vector<std::string> fresh = registry.reload(std::move(settings));
  state_->take_limits();
  state_->direct.reload();
  state_->tell_changes();
  log::info("the configuration was read again: " + text::count_text(fresh.size(), "server") +
            (fresh.size() == 1 ? " is" : " are") + " new or changed");
  for (const std::string& name : fresh) {
    const config::Server* server = registry.find(name);
    if (state_->saving && server != nullptr && state_->starts_unasked(*server)) {
      state_->warm_up(name);
    }
  }
}

void Session::notify(const registry::Notice& notice) {
  state_->noticed(notice);
}

io::Task<tool::Answer> Session::manage(json::Value arguments, tool::CallContext context) {
  return tool::manage(&state_->parts, arguments, std::move(context));
}

std::vector<config::TrustRequest> Session::trust_needed(const tool::ToolRequest& request) const {
  return tool::trust_needed(state_->registry,
                            tool::server_without_trust(state_->registry, request));
}

std::vector<servers::ServerStatus> Session::status(const registry::EntryFilter& wanted) const {
  return state_->registry.statuses(wanted);
}

const config::Settings& Session::settings() const {
  return state_->registry.settings();
}

const catalog::Catalog& Session::catalog() const {
  return state_->registry.catalog();
}

tool::DirectTools& Session::direct_tools() {
  return state_->direct;
}

tool::Prompts& Session::prompts() {
  return state_->prompts;
}

tool::Resources& Session::resources() {
  return state_->resources;
}

tool::OwnResources& Session::own_resources() {
  return state_->own_resources;
}

tool::Through* Session::through() {
  return state_->through.get();
}

tool::CompletionParts Session::completion() {
  return {.registry = &state_->registry, .prompts = &state_->prompts, .owners = &state_->owners};
}

render::HostKind Session::host_kind() const {
  return state_->parts.host;
}

void Session::read_again(std::string_view server) {
  state_->registry.known().read_again(server);
}

tool::Reader Session::reader() const {
  return state_->is_shell                             ? tool::Reader::shell
         : state_->parts.host == render::HostKind::pi ? tool::Reader::pi
                                                      : tool::Reader::model;
}

void Session::add_observer(registry::SessionObserver& observer) {
  state_->observers.add(observer);
}

void Session::remove_observer(registry::SessionObserver& observer) {
  state_->observers.remove(observer);
}

void Session::meet_host(std::shared_ptr<servers::HostLink> host) {
  state_->gate.meet_host(host && host->features().elicitation_form);
  state_->registry.meet_host(std::move(host));
}

void Session::tell_roots_changed() {
  state_->registry.tell_roots_changed();
}

void Session::want_log_level(mcp::LogLevel level) {
  state_->registry.want_log_level(level);
}

std::optional<std::string> Session::new_stderr(std::string_view server) {
  return state_->registry.new_stderr(server);
}

io::Task<void> Session::close() {
  co_await state_->logins.close();
  if (state_->warming) {
    state_->warming->cancel();
    co_await state_->warming->join();
  }
  if (state_->saving) {
    state_->registry.pace_saves(nullptr);
    co_await state_->saving->stop();
  }
  state_->registry.known().save();
  state_->registry.release();
}

}  // namespace pi_mcp::gateway
