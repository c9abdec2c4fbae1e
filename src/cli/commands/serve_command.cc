// `pi-mcp serve`: one host on stdin and stdout, until it goes away.
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_change.h"
#include "cli/commands/server_file.h"
#include "cli/commands/setup_talk.h"
#include "cli/config_watch.h"
#include "cli/real_files.h"
#include "cli/recording/recording.h"
#include "cli/show/config_view.h"
#include "cli/stopper.h"
#include "cli/trust_record.h"
#include "config/edit.h"
#include "gateway/gateway.h"
#include "gateway/run_publisher.h"
#include "host/host_server.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "io/process/executable.h"
#include "json/document.h"
#include "json/writer.h"
#include "transport/stdio_host.h"

namespace pi_mcp::cli {
namespace {

// Everything ends within 5 s of the end of stdin (docs/cli.md); servers that take longer than this
// are killed.
constexpr Milliseconds cleaning_max{4500};

std::optional<render::HostKind> host_kind(const CommandLine& line) {
  const std::string kind = line.value(OptionId::host).value_or("mcp");
  if (kind == "mcp") {
    return render::HostKind::mcp;
  }
  return kind == "pi" ? std::optional(render::HostKind::pi) : std::nullopt;
}

// That every name of --servers is configured.
Result<void> check_servers(Setup setup) {
  const std::vector<std::string> wanted = std::exchange(setup.load_options.servers, {});
  if (wanted.empty()) {
    return {};
  }
  const config::Settings settings = load_configuration(setup, RealFiles());
  for (const std::string& name : wanted) {
    if (settings.find(name) == nullptr) {
      std::vector<std::string> known;
      known.reserve(settings.servers.size());
      for (const config::Server& server : settings.servers) {
        known.push_back(server.name);
      }
      return fail(
          ErrorCode::invalid_argument,
          "--servers: there is no server \"" + name + "\"; " +
              (known.empty() ? "none is configured" : "configured are " + text::join(known, ", ")));
    }
  }
  return {};
}

class ServeCommand {
 public:
  // `recorder` may be null.
  ServeCommand(const io::Executor& executor,
               const Setup& setup,
               render::HostKind kind,
               Recorder* recorder)
      : setup_(setup),
        config_(executor, setup_),
        gateway_(executor),
        session_(gateway_.open(
            config_.load(), setup.environment, {.host = kind, .config = config_access()})),
        stopper_(executor, setup.console, cleaning_max),
        publisher_(executor, &session_, setup.environment.cwd),
        host_(recorder == nullptr ? transport::open_stdio_host(executor)
                                  : recorded(transport::open_stdio_host(executor), recorder)),
        serving_(executor),
        closing_(executor) {
    forget_hosts_yes();
  }

  io::Task<ExitStatus> run() {
    stopper_.start([this] { config_.reload_soon(); });
    config_.start(&session_);
    publisher_.start();
    serving_.spawn("host", serve(), [this](const std::string& /*what*/) { end(); });
    co_await wait_for_end();
    const ExitStatus status = stopper_.stopped().value_or(ExitStatus::done);
    if (!stopper_.stopped()) {
      stopper_.limit_cleaning(status);
    }
    serving_.cancel();
    co_await serving_.join();
    // The host may be slow to read what is left; the servers do not wait for it.
    closing_.spawn("host", host_->close(), io::log_only);
    co_await config_.stop();
    co_await publisher_.stop();
    co_await gateway_.close();
    publisher_.bury();
    co_await closing_.join();
    co_await stopper_.close();
    co_return status;
  }

 private:
  // Servers are started once the host is known, because they are told what it can do.
  io::Task<void> wait_for_end() {
    bool is_warm = false;
    while (!ended_ && !stopper_.stopped()) {
      if (met_ && !is_warm) {
        is_warm = true;
        config_.tell_first_warnings();
        co_await session_.warm_up();
      } else {
        (void)co_await stopper_.changed().wait();  // this task is not cancelled
      }
    }
  }

  io::Task<void> serve() {
    host::HostOptions options;
    options.version = PI_MCP_VERSION;
    options.on_met = [this](const mcp::HostInfo& host) {
      publisher_.set_client(host.version.empty() ? host.name : host.name + " " + host.version);
      met_ = true;
      stopper_.changed().notify_all();
    };
    co_await host::serve_host(host_.get(), &session_, std::move(options));
    end();
  }

  void end() {
    ended_ = true;
    stopper_.changed().notify_all();
  }

  tool::ConfigAccess config_access() {
    return {
        .edit = [this](const tool::KeyChange& change) { return edit_config(change); },
        .user_file = [this] { return shown(users_file()); },
        .add = [this](const tool::NewServer& server) { return add(server); },
        .try_out = [this](const std::string& name,
                          const std::string& entry) { try_out(name, entry); },
        .is_program =
            [this](const std::string& word) {
              return io::find_executable(word, setup_.environment.variables, setup_.environment.cwd)
                  .has_value();
            },
        .file_to_edit = [this](const std::string& server) { return file_to_edit(setup_, server); },
        .write_edited =
            [this](const tool::EditedFile& was, const std::string& text) {
              Result<void> written = cli::write_edited(setup_, was, text);
              config_.reload_now();
              return written;
            },
        .setup = [this](bool undo,
                        tool::CallContext context) { return set_up(undo, std::move(context)); },
        .register_servers =
            [this](std::string servers) {
              registered_ = std::move(servers);
              take_registered();
            },
        .configure = setup_.load_options.given ? take_configuration() : nullptr,
        .trust =
            [this](tool::TrustTerm term, const std::vector<config::TrustRequest>& requests) {
              return take_trust(term, requests);
            },
        .host_trusts =
            [this](bool trusted) {
              setup_.load_options.trust.host = trusted;
              config_.reload_now();
              forget_hosts_yes();
            },
        .begin_session =
            [this](const std::string& /*id*/) {
              if (!std::exchange(setup_.load_options.trust.once, {}).empty()) {
                config_.reload_now();
              }
            },
    };
  }

  std::function<void(std::string config)> take_configuration() {
    return [this](std::string config) {
      setup_.load_options.given = std::move(config);
      config_.reload_now();
    };
  }

  // A yes is about the files as they were then, so it counts for one reading, which records it.
  // A no stays.
  void forget_hosts_yes() {
    if (setup_.load_options.trust.host.value_or(false)) {
      setup_.load_options.trust.host.reset();
    }
  }

  Result<void> take_trust(tool::TrustTerm term, const std::vector<config::TrustRequest>& requests) {
    if (term == tool::TrustTerm::always) {
      const std::string folder = own_folder(session_.settings(), requests);
      if (Result<void> kept = record_trust(setup_, {.requests = requests, .folder = folder});
          !kept) {
        return kept;
      }
    } else {
      for (const config::TrustRequest& request : requests) {
        setup_.load_options.trust.once.insert(request.digest);
      }
    }
    config_.reload_now();
    return {};
  }

  Result<std::string> edit_config(const tool::KeyChange& change) {
    const Result<std::string> path =
        change_server(setup_,
                      {.server = change.server,
                       .key = std::string(change.key),
                       .value_json = change.value_json,
                       .path = {},
                       .for_folder = change.scope == tool::Scope::here});
    if (!path) {
      return fail(path.error());
    }
    if (!path->empty()) {
      config_.reload_now();
    }
    return shown(*path);
  }

  Result<std::string> add(const tool::NewServer& server) {
    const std::string path = users_file();
    if (const Result<void> added = add_servers(setup_, path, {server}); !added) {
      return fail(added.error());
    }
    config_.reload_now();
    return shown(path);
  }

  void try_out(const std::string& name, const std::string& entry_json) {
    if (entry_json.empty()) {
      tried_.erase(name);
    } else {
      tried_.insert_or_assign(name, entry_json);
    }
    take_registered();
  }

  // Servers of other extensions, and those that are being tried.
  void take_registered() {
    json::Writer all;
    all.begin_object();
    const Result<json::Document> registered = json::Document::parse_view(registered_);
    if (registered) {
      for (const json::Member member : registered->root().members()) {
        all.member_raw(member.name(), member.value.raw());
      }
    }
    for (const auto& [name, entry] : tried_) {
      all.member_raw(name, entry);
    }
    setup_.load_options.registered = all.end_object().take();
    config_.reload_now();
  }

  io::Task<Result<tool::SetupOutcome>> set_up(bool undo, tool::CallContext context) {
    const bool is_empty = session_.settings().servers.empty();
    Result<tool::SetupOutcome> outcome =
        undo ? undo_setup(setup_)
             : co_await talk_about_setup(&setup_, is_empty, std::move(context));
    config_.reload_now();
    co_return outcome;
  }

  [[nodiscard]] std::string users_file() const {
    return config::target_file(setup_.environment, setup_.load_options, config::Target::global);
  }

  [[nodiscard]] std::string shown(const std::string& path) const {
    return short_path(path, setup_.environment.home);
  }

  Setup setup_;
  std::string registered_;                    // servers of other extensions, JSON; empty: none
  std::map<std::string, std::string> tried_;  // servers that are being tried: name, entry
  ConfigWatch config_;
  gateway::Gateway gateway_;
  gateway::Session& session_;
  Stopper stopper_;
  gateway::RunPublisher publisher_;
  std::unique_ptr<transport::Transport> host_;
  io::TaskGroup serving_;
  io::TaskGroup closing_;
  bool met_ = false;
  bool ended_ = false;
};

io::Task<ExitStatus> serve_main(io::Executor executor,
                                const Setup* setup,
                                render::HostKind kind,
                                Recorder* recorder) {
  ServeCommand command(executor, *setup, kind, recorder);
  co_return co_await command.run();
}

// A server that starts pi-mcp itself, behind a wrapper, would start all servers again and so on. A
// server that is an agent may have a pi-mcp of its own.
constexpr int depth_max = 3;
constexpr const char* depth_variable = "PI_MCP_DEPTH";

}  // namespace

ExitStatus run_serve_command(const Setup& setup, Recorder* recorder) {
  Setup own = setup;
  const std::string above = own.environment.variable(depth_variable).value_or("");
  const int depth = above.size() == 1 && ascii::is_digit(above.front()) ? above.front() - '0' : 0;
  if (depth >= depth_max) {
    return report(own,
                  {ErrorCode::unavailable,
                   "a server of pi-mcp has started pi-mcp again, " + above +
                       " deep: one of the servers is pi-mcp itself behind another program; remove "
                       "it (pi-mcp config shows them)"});
  }
  own.environment.variables[depth_variable] = std::to_string(depth + 1);
  const std::optional<render::HostKind> kind = host_kind(own.line);
  if (!kind) {
    return report(
        own,
        {ErrorCode::invalid_argument, "--host wants mcp or pi. " + see_help(own.line.command())});
  }
  if (const Result<void> known = check_servers(own); !known) {
    return report(own, known.error());
  }
  if (own.console->input_is_terminal()) {
    own.console->note(
        "speaking MCP on stdin and stdout, which is for programs; ctrl-D or ctrl-C ends it. "
        "For people: pi-mcp --help");
  }
  return io::run([&own, &kind, recorder](const io::Executor& executor) {
    return serve_main(executor, &own, *kind, recorder);
  });
}

}  // namespace pi_mcp::cli
