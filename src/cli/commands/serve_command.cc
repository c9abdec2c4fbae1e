// `pi-mcp serve`: one host on stdin and stdout, until it goes away.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/http/http_command.h"
#include "cli/real_files.h"
#include "cli/recording/recording.h"
#include "cli/sharing/depth.h"
#include "cli/sharing/host_session.h"
#include "cli/sharing/share.h"
#include "cli/stopper.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "gateway/gateway.h"
#include "host/declarations.h"
#include "io/files/fd.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
#include "transport/attached/attached_host.h"
#include "transport/stdio_host.h"

namespace pi_mcp::cli {
namespace {

// Everything ends within 5 s of the end of stdin (docs/cli.md); servers that take longer than this
// are killed.
constexpr Milliseconds cleaning_max{4500};

// That every name of --servers and --through is configured.
Result<void> check_servers(Setup setup) {
  const std::vector<std::string> wanted = std::exchange(setup.load_options.servers, {});
  if (wanted.empty()) {
    return {};
  }
  const std::string option = setup.line.has(OptionId::through) ? "--through" : "--servers";
  const config::Settings settings = load_configuration(setup, RealFiles());
  const auto missing = std::ranges::find_if(
      wanted, [&](const std::string& name) { return settings.find(name) == nullptr; });
  if (missing == wanted.end()) {
    return {};
  }
  const std::string left_out = left_out_text(settings);
  return fail(ErrorCode::not_found,
              option + ": there is no server \"" + *missing + "\"; " + configured_text(settings) +
                  (left_out.empty() ? "" : "; " + left_out));
}

// Options that only count with --http, which may have been forgotten.
Result<void> check_http_options(const CommandLine& line) {
  for (const Option& option : line.command()->options) {
    if (option.of_http && line.has(option.id)) {
      return fail(ErrorCode::invalid_argument,
                  std::string(option.name) + " means nothing without --http ADDRESS. " +
                      see_help(line.command()));
    }
  }
  return {};
}

// Without sharing: this process serves the host itself.
class ServeCommand {
 public:
  ServeCommand(const io::Executor& executor, const Setup& setup, HostSession::Options options)
      : gateway_(executor),
        session_(executor, gateway_, setup, std::move(options)),
        stopper_(executor, setup.console, cleaning_max),
        stopping_(executor) {}

  io::Task<ExitStatus> run() {
    stopper_.start([this] { session_.reload_soon(); });
    stopping_.spawn("stopping", end_when_stopped(), io::log_only);
    co_await session_.run();
    const ExitStatus status = stopper_.stopped().value_or(ExitStatus::done);
    if (!stopper_.stopped()) {
      stopper_.limit_cleaning(status);
    }
    stopping_.cancel();
    co_await session_.end_gateway();
    co_await stopping_.join();
    co_await stopper_.close();
    co_return status;
  }

 private:
  io::Task<void> end_when_stopped() {
    io::Wake wake = io::Wake::notified;
    while (!stopper_.stopped() && wake != io::Wake::cancelled) {
      wake = co_await stopper_.changed().wait();
    }
    session_.end();
  }

  gateway::Gateway gateway_;
  HostSession session_;
  Stopper stopper_;
  io::TaskGroup stopping_;
};

struct HostSource {
  Recorder* recorder = nullptr;    // null: nothing is recorded
  std::optional<io::Woken> woken;  // a shared process that has died had this host before us
};

// The host on stdin and stdout.
Result<HostSession::Options> host_on_stdio(const io::Executor& executor,
                                           const Setup& setup,
                                           HostSource source) {
  const Result<render::HostKind> kind = host_kind(setup.line);
  if (!kind) {
    return fail(kind.error());
  }
  HostSession::Options options{.kind = *kind, .through = through(setup), .host = nullptr};
  if (source.woken) {
    Result<std::unique_ptr<transport::AttachedHost>> host =
        transport::AttachedHost::open(executor,
                                      {.input = io::copy_of_standard(0),
                                       .output = io::copy_of_standard(1),
                                       .old_memory = std::move(source.woken->memory),
                                       .old_staging = std::move(source.woken->staging),
                                       .declaration = host::declaration_of});
    if (!host) {
      return fail(host.error());
    }
    (*host)->begin();
    options.last_question = questions_of((*host)->generation());
    options.host = *std::move(host);
  } else if (source.recorder != nullptr) {
    options.host = recorded(transport::open_stdio_host(executor), source.recorder);
  } else {
    options.host = transport::open_stdio_host(executor);
  }
  return options;
}

io::Task<ExitStatus> serve_main(io::Executor executor, const Setup* setup, HostSource source) {
  Result<HostSession::Options> options = host_on_stdio(executor, *setup, std::move(source));
  if (!options) {
    co_return report(*setup, options.error());
  }
  ServeCommand command(executor, *setup, *std::move(options));
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_serve_command(const Setup& setup, Recorder* recorder) {
  Setup own = setup;
  if (depth_of(own.environment.variables) >= depth_max) {
    return report(own,
                  {ErrorCode::unavailable,
                   "a server of pi-mcp has started pi-mcp again, " + std::to_string(depth_max) +
                       " deep: one of the servers is pi-mcp itself behind another program; remove "
                       "it (pi-mcp config shows them)"});
  }
  if (own.line.has(OptionId::http)) {
    go_deeper(own.environment.variables);
    return run_http_command(own);
  }
  if (const Result<void> checked = check_http_options(own.line); !checked) {
    return report(own, checked.error());
  }
  if (const Result<render::HostKind> kind = host_kind(own.line); !kind) {
    return report(own, kind.error());
  }
  if (const Result<void> known = check_servers(own); !known) {
    return report(own, known.error());
  }
  if (own.console->input_is_terminal()) {
    own.console->note(
        "speaking MCP on stdin and stdout, which is for programs; ctrl-D or ctrl-C ends it. "
        "For people: pi-mcp --help");
  }
  Shared shared = recorder == nullptr ? share_host(own) : Shared();
  if (shared.over) {
    return *shared.over;
  }
  if (shared.woken) {
    forget_hosts_yes(own);
  }
  go_deeper(own.environment.variables);
  return io::run([&](const io::Executor& executor) {
    return serve_main(executor, &own, {.recorder = recorder, .woken = std::move(shared.woken)});
  });
}

}  // namespace pi_mcp::cli
