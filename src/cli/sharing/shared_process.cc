#include "cli/sharing/shared_process.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "attach/doorman.h"
#include "base/log.h"
#include "cli/setup.h"
#include "cli/sharing/depth.h"
#include "cli/sharing/host_session.h"
#include "config/identity.h"
#include "gateway/gateway.h"
#include "gateway/pool_runs.h"
#include "host/declarations.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/loop.h"
#include "io/loop/signals.h"
#include "io/loop/task_group.h"
#include "io/process/environment.h"
#include "io/process/process_limits.h"
#include "io/process/process_tree.h"
#include "transport/attached/attached_host.h"

namespace pi_mcp::cli {
namespace {

constexpr const char* shared_word = "__shared";

// A front that has started us comes at once.
constexpr Milliseconds first_session_max{5000};
// Without a session: how often it is looked whether the last server has ended.
constexpr Milliseconds look_again{250};

// One host that was handed to us.
class Guest : Pinned {
 public:
  Guest(const io::Executor& executor, attach::HandedSession handed)
      : front_(std::move(handed.front)), errors_(std::move(handed.errors)), watching_(executor) {}

  // From here on this process serves it. Otherwise why not; then nothing of the host was touched.
  Result<void> open(const io::Executor& executor,
                    gateway::Gateway& gateway,
                    const Setup& setup,
                    transport::AttachedHostOptions streams,
                    tool::SharedAccess shared);
  io::Task<void> run();
  // open() has failed: it is told why, and serves its host alone.
  io::Task<void> refuse(std::string why);
  void reload_soon() { session_->reload_soon(); }
  // Only then its session can be asked: one that leaves is gone before its guest is.
  [[nodiscard]] bool is_served() const { return session_ != nullptr && !leaves_; }
  [[nodiscard]] tool::SharedView::Session view() const { return session_->view(); }
  [[nodiscard]] runs::RunRecord run(const std::string& server) { return session_->run(server); }
  [[nodiscard]] const config::Settings& settings() const { return session_->settings(); }

 private:
  io::Task<void> watch_front();

  std::unique_ptr<attach::FrontLink> front_;
  io::Fd errors_;
  std::unique_ptr<HostSession> session_;     // null: it was refused before there was one
  transport::AttachedHost* host_ = nullptr;  // of the session
  bool leaves_ = false;
  io::TaskGroup watching_;
};

// All shell commands of a folder are one session to a server, also one after the other.
registry::SharingOptions sharing_of(const Setup& setup) {
  return {.with_others = true,
          .scope = setup.for_shell ? "shell " + setup.environment.cwd : "",
          .claims_rest = setup.for_shell};
}

// What commands in this folder have left of its project's servers, and may not be used any more:
// the entry has changed or is gone, or trust in it was taken back.
void drop_what_is_not_trusted(gateway::Gateway& gateway,
                              const std::string& scope,
                              const config::Settings& settings) {
  std::set<std::string> usable;
  for (const config::Server& server : settings.servers) {
    if (server.standing == config::Standing::project && !server.disabled) {
      usable.insert(config::entry_identity(server));
    }
  }
  gateway.drop_claims([&](const std::string& /*server*/, const servers::Lease& claim) {
    return claim.session_name == scope && !claim.project_entry.empty() &&
           !usable.contains(claim.project_entry);
  });
}

Result<void> Guest::open(const io::Executor& executor,
                         gateway::Gateway& gateway,
                         const Setup& setup,
                         transport::AttachedHostOptions streams,
                         tool::SharedAccess shared) {
  const Result<render::HostKind> kind =
      setup.for_shell ? render::HostKind::mcp : host_kind(setup.line);
  if (!kind) {
    return fail(kind.error());
  }
  Result<std::unique_ptr<transport::AttachedHost>> opened =
      transport::AttachedHost::open(executor, std::move(streams));
  if (!opened) {
    return fail(opened.error());
  }
  host_ = opened->get();
  session_ = std::make_unique<HostSession>(
      executor,
      gateway,
      setup,
      HostSession::Options{.kind = *kind,
                           .is_shell = setup.for_shell,
                           .through = through(setup),
                           .sharing = sharing_of(setup),
                           .host = *std::move(opened),
                           .last_question = questions_of(host_->generation()),
                           .shared = std::move(shared)});
  if (setup.for_shell) {
    drop_what_is_not_trusted(gateway, sharing_of(setup).scope, session_->settings());
  }
  const bool only_looks = setup.line.value(OptionId::host) == looking_host;
  if (const std::string why = only_looks ? "" : wants_alone(session_->settings()); !why.empty()) {
    return fail(ErrorCode::invalid_argument, why);
  }
  if (Result<void> attached = front_->attached(host_->memory(), host_->staging()); !attached) {
    return attached;
  }
  host_->begin();
  return {};
}

io::Task<void> Guest::run() {
  watching_.spawn("front", watch_front(), io::log_only);
  co_await session_->run();
  leaves_ = true;
  co_await session_->leave();
  front_->over(static_cast<int>(ExitStatus::done));
  watching_.cancel();
  co_await watching_.join();
  front_->close();
}

io::Task<void> Guest::refuse(std::string why) {
  front_->refuse(why);
  leaves_ = true;
  if (session_) {
    host_->forsake();
    co_await session_->leave();
  }
}

// Its end is that of the session: the host has closed its side, or somebody has killed the front.
io::Task<void> Guest::watch_front() {
  if (co_await front_->wait_gone()) {
    host_->forsake();
    session_->end();
  }
}

class SharedProcess : Pinned {
 public:
  SharedProcess(const io::Executor& executor, Console& console)
      : executor_(executor),
        console_(console),
        gateway_(executor),
        guests_running_(executor),
        changed_(executor) {}

  io::Task<ExitStatus> run(io::BirthGifts gifts, std::string name);

 private:
  void take(attach::HandedSession handed);
  io::Task<void> host(Guest* guest, Result<void> opened);
  [[nodiscard]] tool::SharedAccess access_for(const Guest* guest, bool is_shell);
  [[nodiscard]] tool::SharedView view(const Guest* without) const;
  [[nodiscard]] std::vector<runs::RunRecord> runs(const Guest* without, const std::string& server);
  void add_resting(std::vector<runs::RunRecord>& runs, const std::string& server) const;
  [[nodiscard]] const config::Server* entry(const std::string& name) const;
  void stop();
  io::Task<void> wait_for_end(attach::Doorman* doorman);
  io::Task<void> watch_signals(io::StopSignals* signals);

  io::Executor executor_;
  Console& console_;
  gateway::Gateway gateway_;
  std::vector<std::unique_ptr<Guest>> guests_;
  io::TaskGroup guests_running_;
  io::Condition changed_;
  bool stopped_ = false;
};

// The environment of the session, as a process that its host had started would see it.
config::Environment environment_of(const attach::SessionFacts& facts) {
  config::Environment environment =
      cli::environment_of(facts.environment, facts.folder, facts.traits);
  go_deeper(environment.variables);
  return environment;
}

void SharedProcess::take(attach::HandedSession handed) {
  attach::SessionFacts facts = std::move(handed.facts);
  transport::AttachedHostOptions streams{.input = std::move(handed.input),
                                         .output = std::move(handed.output),
                                         .old_memory = std::move(handed.old_memory),
                                         .old_staging = std::move(handed.old_staging),
                                         .declaration = host::declaration_of};
  auto guest = std::make_unique<Guest>(executor_, std::move(handed));
  Result<CommandLine> line = CommandLine::parse(
      {facts.arguments.begin() + (facts.arguments.empty() ? 0 : 1), facts.arguments.end()});
  Result<Setup> setup =
      line ? make_setup(*std::move(line), environment_of(facts), &console_) : fail(line.error());
  if (setup) {
    const std::string kind = setup->line.value(OptionId::host).value_or("");
    setup->for_shell = kind == shell_host || kind == looking_host;
    if (streams.old_memory.is_open()) {
      forget_hosts_yes(*setup);
    }
  }
  const Result<void> opened = setup ? guest->open(executor_,
                                                  gateway_,
                                                  *setup,
                                                  std::move(streams),
                                                  access_for(guest.get(), setup->for_shell))
                                    : fail(setup.error());
  guests_running_.spawn(
      "session",
      host(guests_.emplace_back(std::move(guest)).get(), opened),
      // What an exception has left half done is not gone on with: fronts turn to the next process.
      [this](const std::string& /*what*/) { stop(); });
}

io::Task<void> SharedProcess::host(Guest* guest, Result<void> opened) {
  if (opened) {
    co_await guest->run();
  } else {
    co_await guest->refuse(opened.error().message());
  }
  std::erase_if(guests_,
                [guest](const std::unique_ptr<Guest>& each) { return each.get() == guest; });
  changed_.notify_all();
}

tool::SharedAccess SharedProcess::access_for(const Guest* guest, bool is_shell) {
  tool::SharedAccess access{.view = [this, guest] {
    return view(guest);
  }};
  if (is_shell) {
    access.runs = [this, guest](const std::string& server) {
      return runs(guest, server);
    };
  }
  return access;
}

std::vector<runs::RunRecord> SharedProcess::runs(const Guest* without, const std::string& server) {
  std::vector<runs::RunRecord> found;
  for (const std::unique_ptr<Guest>& guest : guests_) {
    if (guest.get() != without && guest->is_served()) {
      found.push_back(guest->run(server));
    }
  }
  add_resting(found, server);
  return found;
}

// What no session uses any more, and the next command will. `runs` has those of the sessions.
void SharedProcess::add_resting(std::vector<runs::RunRecord>& runs,
                                const std::string& server) const {
  std::set<std::pair<std::string, int>> used;
  for (const runs::RunRecord& run : runs) {
    for (const runs::RunServer& each : run.servers) {
      used.emplace(each.status.name, each.status.process_id);
    }
  }
  const TimePoint now = io::now();
  for (const servers::PoolRun& run : gateway_.runs()) {
    const bool is_asked_for = server.empty() || run.server == server;
    if (is_asked_for && run.status.state == servers::LifecycleState::ready &&
        !used.contains({run.server, run.status.process_id})) {
      runs.push_back({.process_id = io::own_process_id(),
                      .client = "the next command",
                      .cwd = run.cwd,
                      .started_at = io::epoch_now(),
                      .servers = {gateway::run_server(run, now)}});
      if (!server.empty()) {  // of all it would be too much
        runs.back().servers.front().words = gateway::words_of(run);
      }
    }
  }
}

tool::SharedView SharedProcess::view(const Guest* without) const {
  tool::SharedView view{
      .process_id = io::own_process_id(),
      .sessions = {},
      .resting = {},
      .copies = gateway_.copies([this](const std::string& name) { return entry(name); })};
  std::set<std::string> used;
  for (const std::unique_ptr<Guest>& guest : guests_) {
    if (guest.get() != without && guest->is_served()) {
      view.sessions.push_back(guest->view());
      used.insert(view.sessions.back().servers.begin(), view.sessions.back().servers.end());
    }
  }
  for (const std::string& server : gateway_.running_servers()) {
    if (!used.contains(server)) {
      view.resting.push_back(server);
    }
  }
  return view;
}

// Of whichever session has one of that name; null: none.
const config::Server* SharedProcess::entry(const std::string& name) const {
  for (const std::unique_ptr<Guest>& guest : guests_) {
    const config::Server* const found = guest->is_served() ? guest->settings().find(name) : nullptr;
    if (found != nullptr) {
      return found;
    }
  }
  return nullptr;
}

void SharedProcess::stop() {
  stopped_ = true;
  changed_.notify_all();
}

// Until it was told to stop, or nobody needs it.
io::Task<void> SharedProcess::wait_for_end(attach::Doorman* doorman) {
  TimePoint look_at = io::now() + first_session_max;
  while (!stopped_) {
    const bool is_needed = !guests_.empty() || doorman->greeting() > 0;
    if (!is_needed && io::now() >= look_at && !gateway_.has_servers() && doorman->may_leave()) {
      co_return;
    }
    if (is_needed) {
      (void)co_await changed_.wait();
      look_at = io::now();
    } else {
      (void)co_await changed_.wait_until(std::max(look_at, io::now() + look_again));
    }
  }
}

io::Task<void> SharedProcess::watch_signals(io::StopSignals* signals) {
  for (;;) {
    const Result<int> signal = co_await signals->wait();
    if (!signal) {
      co_return;
    }
    if (*signal != SIGHUP) {
      stop();
      continue;
    }
    for (const std::unique_ptr<Guest>& guest : guests_) {
      if (guest->is_served()) {
        guest->reload_soon();
      }
    }
  }
}

io::Task<ExitStatus> SharedProcess::run(io::BirthGifts gifts, std::string name) {
  io::StopSignals signals(executor_);
  Result<std::unique_ptr<attach::Doorman>> doorman = attach::Doorman::open(
      executor_, std::move(gifts), name, [this](attach::HandedSession handed) {
        take(std::move(handed));
      });
  if (!doorman) {
    log::error(doorman.error().message());
    co_return ExitStatus::unavailable;
  }
  io::TaskGroup watching(executor_);
  watching.spawn("signals", watch_signals(&signals), io::log_only);
  co_await wait_for_end(doorman->get());
  if (stopped_) {
    // As if it had been killed: the fronts go on with the next one, the keepers end the servers.
    std::_Exit(static_cast<int>(ExitStatus::terminated));
  }
  watching.cancel();
  co_await watching.join();
  co_await (*doorman)->close();
  co_await guests_running_.join();
  co_await gateway_.close();
  co_return ExitStatus::done;
}

io::Task<ExitStatus> shared_main(io::Executor executor,
                                 Console* console,
                                 io::BirthGifts gifts,
                                 std::string name) {
  SharedProcess process(executor, *console);
  co_return co_await process.run(std::move(gifts), std::move(name));
}

}  // namespace

std::string wants_alone(const config::Settings& settings) {
  if (!settings.shared) {
    return "settings.shared is false";
  }
  const auto debugged = std::ranges::find_if(settings.servers, [](const config::Server& server) {
    return server.debug && !server.disabled;
  });
  // What a server writes there goes to the stderr of the process that has started it.
  return debugged == settings.servers.end()
             ? ""
             : "the stderr of " + debugged->name + " is to be shown (debug)";
}

std::vector<std::string> shared_process_words() {
  return {"pi-mcp", shared_word};
}

ExitStatus run_shared_process(Console& console, const std::string& name) {
  Result<io::BirthGifts> gifts = io::take_birth_gifts();
  if (!gifts) {
    return report(console, false, gifts.error());
  }
  // Of many hosts and servers; what is not to be had is missed when it is needed.
  constexpr std::size_t open_files = 4096;
  (void)io::ensure_open_files(open_files);
  return io::run([&](const io::Executor& executor) {
    return shared_main(executor, &console, *std::move(gifts), name);
  });
}

}  // namespace pi_mcp::cli
