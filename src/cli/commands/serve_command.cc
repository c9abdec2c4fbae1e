// `pi-mcp serve`: one host on stdin and stdout, until it goes away.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/host_session.h"
#include "cli/real_files.h"
#include "cli/recording/recording.h"
#include "cli/stopper.h"
#include "cli/trust_record.h"
#include "gateway/gateway.h"
#include "io/loop/loop.h"
#include "io/loop/task_group.h"
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

// Without sharing: this process serves the host itself.
class ServeCommand {
 public:
  // `recorder` may be null.
  ServeCommand(const io::Executor& executor,
               const Setup& setup,
               render::HostKind kind,
               Recorder* recorder)
      : gateway_(executor),
        session_(executor,
                 gateway_,
                 setup,
                 {.kind = kind,
                  .host = recorder == nullptr
                              ? transport::open_stdio_host(executor)
                              : recorded(transport::open_stdio_host(executor), recorder)}),
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
