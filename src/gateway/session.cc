#include "gateway/session.h"

#include <optional>
#include <set>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/approval_gate.h"
#include "gateway/logins.h"
#include "gateway/mode_parts.h"
#include "gateway/output_guard.h"
#include "gateway/roster.h"
#include "gateway/schema_memo.h"
#include "gateway/search_index.h"
#include "gateway/trust_desk.h"
#include "io/paced_work.h"
#include "io/random.h"
#include "io/sleep.h"
#include "io/task_group.h"
#include "io/temp_files.h"
#include "servers/lifecycle.h"

namespace pi_mcp::gateway {
namespace {

RelayLimits relay_limits(const config::Settings& settings, const config::Environment& environment) {
  if (!is_guarded(settings, environment)) {
    return RelayLimits::none();
  }
  return {.text = {.bytes_max = settings.output_guard.bytes_max,
                   .lines_max = settings.output_guard.lines_max},
          .media = {}};
}

// Where the files of somebody with this environment go for a while.
std::string temp_dir(const config::Environment& environment) {
  const std::string configured = environment.variable("TMPDIR").value_or("");
  return configured.starts_with('/') ? configured : "/tmp";
}

// Writing the cache is as long as the cache is large, so no call waits for it, and what several
// servers offer when they start together is written once.
constexpr Milliseconds save_pause{250};

Answer only_for_mcp_write(const ToolRequest& request) {
  const NextStep step{.mode = request.mode, .subject = request.subject, .writes = true};
  return Reply(request.mode,
               Failure::usage,
               "needs_mcp_write",
               "mcp only reads here. Use " + Message(step) + ".")
      .take();
}

io::Task<Answer> ready(Answer answer) {
  co_return answer;
}

}  // namespace

// It is what the roster tells; what follows from that is told to the session's observers.
struct Session::State final : SessionObserver {
  State(servers::Pool& pool,
        CatalogStore& catalogs,
        config::Settings settings,
        config::Environment environment,
        Options options)
      : roster(pool, catalogs, std::move(settings), std::move(environment), *this),
        index(roster),
        direct(roster, options.host),
        gate(roster, options.host),
        logins(&roster),
        prompts(roster),
        resources(roster, direct),
        config(std::move(options.config)),
        trust(roster, config),
        files(temp_dir(roster.environment())) {
    parts.roster = &roster;
    parts.index = &index;
    parts.schemas = &schemas;
    parts.gate = &gate;
    parts.direct = &direct;
    parts.logins = &logins;
    parts.trust = &trust;
    parts.marks_of = [this](const catalog::CatalogTool& tool) {
      return gate.marks(tool);
    };
    // A search makes the tools it shows direct where directTools is "search".
    parts.on_shown = [this] {
      tell_changes();
    };
    parts.host = options.host;
    take_limits();
    parts.spill = [this](std::string_view extension, std::string_view bytes) {
      return files.write(extension, bytes);
    };
  }

  void take_limits();
  void warm_up(const std::string& server);
  io::Task<void> connect_in_background(std::string server);
  // It is kept alive, but its launch could not be made: the pool restarts only what it was given.
  [[nodiscard]] bool must_keep_trying(const std::string& server) const;
  io::Task<void> try_until_resolved(std::string server);
  void end_warming();
  void tell_warmed();
  void changed(Changes changes) override;
  void server_said(std::string_view server, json::Value params) override {
    observers.server_said(server, params);
  }
  void noticed(const Notice& notice) override { observers.noticed(notice); }
  void elicitation_completed(json::Value params) override {
    observers.elicitation_completed(params);
  }
  void tell_changes() { changed({.offers = true}); }
  io::Task<Answer> run(ToolRequest request, CallContext context);
  // The same for a request about a server of the project that the user has not allowed.
  io::Task<Answer> run_admitted(ToolRequest request, CallContext context);

  SessionObservers observers;
  Roster roster;
  SearchIndex index;
  DirectTools direct;
  ApprovalGate gate;
  Logins logins;
  Prompts prompts;
  OwnResources resources;
  ConfigAccess config;
  TrustDesk trust;
  SchemaMemo schemas;
  io::TempFiles files;
  ModeParts parts;
  std::unique_ptr<io::TaskGroup> warming;
  std::unique_ptr<io::PacedWork> saving;          // with `warming`
  std::set<std::string, std::less<>> unresolved;  // those that try_until_resolved() is about
  // Of the servers that are, or were since none was, started without being asked for.
  struct Warmed {
    std::size_t under_way = 0;
    std::size_t wanted = 0;
    std::size_t connected = 0;
    std::size_t tools = 0;
  };
  Warmed warmed;
};

void Session::State::take_limits() {
  parts.limits = relay_limits(roster.settings(), roster.environment());
  parts.details_bytes_max = roster.settings().output_guard.details_bytes_max;
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
      co_await roster.open(server, servers::Use::background);
  if (connection) {
    ++warmed.connected;
    warmed.tools += roster.catalog().tools(server).size();
  } else if (connection.error().code() != ErrorCode::cancelled) {
    log::info("starting " + server + ": " + connection.error().message());
    noticed({.level = LogLevel::error,
             .text = "MCP: Failed to connect to " + server + ": " + connection.error().message()});
  }
  if (must_keep_trying(server) && unresolved.insert(server).second) {
    warming->spawn("keeping " + server,
                   try_until_resolved(server),
                   [this, server](const std::string& /*what*/) { unresolved.erase(server); });
  }
  end_warming();
}

void Session::State::end_warming() {
  if (--warmed.under_way == 0) {
    tell_warmed();
  }
}

bool Session::State::must_keep_trying(const std::string& server) const {
  const config::Server* configured = roster.find(server);
  return configured != nullptr && configured->lifecycle == config::LifecycleMode::keep_alive &&
         roster.is_unresolved(server);
}

io::Task<void> Session::State::try_until_resolved(std::string server) {
  for (std::uint32_t tries = 0; must_keep_trying(server); ++tries) {
    const Duration delay = servers::restart_delay({}, tries, io::random_fraction());
    if (!co_await io::sleep_for(delay)) {
      break;
    }
    (void)co_await roster.open(server, servers::Use::background);  // its reason is in the status
  }
  unresolved.erase(server);
}

void Session::State::tell_warmed() {
  const Warmed all = std::exchange(warmed, {});
  if (all.connected == 0) {
    return;
  }
  const std::string wanted =
      all.connected == all.wanted ? std::string() : "/" + std::to_string(all.wanted);
  noticed({.level = LogLevel::info,
           .text = "MCP: " + std::to_string(all.connected) + wanted + " servers connected (" +
                   std::to_string(all.tools) + " tools)"});
}

void Session::State::changed(Changes changes) {
  if (observers.empty()) {
    return;  // nobody has asked for the lists, either
  }
  if (changes.offers) {
    changes.tools = direct.needs_notice();
    changes.prompts = prompts.needs_notice();
  }
  observers.changed(changes);
}

// No coroutine of its own: every frame on the way of a call costs an allocation.
io::Task<Answer> Session::State::run(ToolRequest request, CallContext context) {
  const ModeRow& row = row_of(request.mode);
  return row.changes && !request.may_write
             ? ready(only_for_mcp_write(request))
             : row.run(&parts, std::move(request), std::move(context));
}

io::Task<Answer> Session::State::run_admitted(ToolRequest request, CallContext context) {
  if (std::optional<Answer> refused = co_await trust.admit(request, context)) {
    co_return *std::move(refused);
  }
  co_return co_await run(std::move(request), std::move(context));
}

Session::Session(servers::Pool& pool,
                 CatalogStore& catalogs,
                 config::Settings settings,
                 config::Environment environment,
                 Options options)
    : state_(std::make_unique<State>(
          pool, catalogs, std::move(settings), std::move(environment), std::move(options))) {}

Session::~Session() = default;

io::Task<void> Session::warm_up() {
  Roster& roster = state_->roster;
  const bool first_run = roster.known().take_first_run();
  if (!state_->warming) {
    const io::Executor executor = co_await boost::asio::this_coro::executor;
    state_->warming = std::make_unique<io::TaskGroup>(executor);
    state_->saving = std::make_unique<io::PacedWork>(
        executor, "tool cache", save_pause, [&roster] { roster.known().save(); });
    state_->saving->start();
    roster.pace_saves(state_->saving.get());
  }
  for (const config::Server& server : roster.settings().servers) {
    // The first run learns what the user's own servers offer; nothing of a project starts by itself
    // because its folder is new here.
    const bool unasked = first_run && server.standing == config::Standing::user;
    if (!server.disabled && (unasked || servers::starts_with_session(server.lifecycle))) {
      state_->warm_up(server.name);
    }
  }
}

std::unique_ptr<QuickCall> Session::begin_quick_call(const ToolRequest& request,
                                                     const CallContext& context,
                                                     QuickCall::Ended ended) {
  return request.mode == Mode::call && !state_->trust.concerns(request)
             ? gateway::begin_quick_call(&state_->parts, request, context, std::move(ended))
             : nullptr;
}

io::Task<Answer> Session::run(ToolRequest request, CallContext context) {
  return state_->trust.concerns(request)
             ? state_->run_admitted(std::move(request), std::move(context))
             : state_->run(std::move(request), std::move(context));
}

std::string Session::text_of(const Answer& answer, Reader reader) {
  std::vector<Block> blocks = {Block::of_text(gateway::text_of(answer, reader))};
  cut_texts(blocks, state_->parts.limits.text, state_->parts.spill);
  return std::string(blocks.front().text.view());
}

void Session::reload(config::Settings settings) {
  Roster& roster = state_->roster;
  const std::vector<std::string> fresh = roster.reload(std::move(settings));
  state_->take_limits();
  state_->direct.reload();
  state_->tell_changes();
  log::info("the configuration was read again: " + std::to_string(fresh.size()) +
            " servers are new or changed");
  for (const std::string& name : fresh) {
    const config::Server* server = roster.find(name);
    if (state_->warming && server != nullptr && servers::starts_with_session(server->lifecycle)) {
      state_->warm_up(name);
    }
  }
}

void Session::notify(const Notice& notice) {
  state_->noticed(notice);
}

Answer Session::manage(json::Value arguments) {
  return gateway::manage(state_->roster, state_->config, arguments);
}

std::vector<config::TrustRequest> Session::trust_needed(const ToolRequest& request) const {
  return gateway::trust_needed(state_->roster, server_without_trust(state_->roster, request));
}

std::vector<ServerStatus> Session::status() const {
  return state_->roster.statuses();
}

const config::Settings& Session::settings() const {
  return state_->roster.settings();
}

const catalog::Catalog& Session::catalog() const {
  return state_->roster.catalog();
}

DirectTools& Session::direct_tools() {
  return state_->direct;
}

Prompts& Session::prompts() {
  return state_->prompts;
}

OwnResources& Session::resources() {
  return state_->resources;
}

HostKind Session::host_kind() const {
  return state_->parts.host;
}

void Session::add_observer(SessionObserver& observer) {
  state_->observers.add(observer);
}

void Session::remove_observer(SessionObserver& observer) {
  state_->observers.remove(observer);
}

void Session::meet_host(std::shared_ptr<servers::HostLink> host) {
  state_->gate.meet_host(host && host->features().elicitation_form);
  state_->roster.meet_host(std::move(host));
}

void Session::tell_roots_changed() {
  state_->roster.tell_roots_changed();
}

std::optional<std::string> Session::new_stderr(std::string_view server) {
  return state_->roster.new_stderr(server);
}

io::Task<void> Session::close() {
  co_await state_->logins.close();
  if (state_->warming) {
    state_->warming->cancel();
    co_await state_->warming->join();
    state_->roster.pace_saves(nullptr);
    co_await state_->saving->stop();
  }
  state_->roster.known().save();
  state_->roster.release();
}

}  // namespace pi_mcp::gateway
