// `pi-mcp emit-ts`: TypeScript types and a client of the tools of servers.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/performer.h"
#include "cli/show/typescript_client.h"
#include "cli/unknown_server.h"
#include "io/files/file.h"
#include "io/loop/loop.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

tool::ToolRequest connect_request(const std::string& server) {
  tool::ToolRequest request;
  request.mode = tool::Mode::connect;
  request.subject = server;
  return request;
}

class EmitTsCommand {
 public:
  EmitTsCommand(const io::Executor& executor, const Setup& setup)
      : setup_(setup), performer_(executor, setup, load_settings(setup)) {}

  io::Task<ExitStatus> run() {
    performer_.start();
    std::vector<EmittedServer> servers;
    std::optional<ExitStatus> failed;
    for (const std::string& name : setup_.line.words()) {
      failed = co_await learn(name);
      if (failed) {
        break;
      }
      servers.push_back({.name = name, .tools = performer_.session().catalog().tools(name)});
    }
    const ExitStatus status = failed ? *failed : emit(servers);
    co_await performer_.close();
    co_return performer_.stopped().value_or(status);
  }

 private:
  // Starts the server when nothing is known of it. Why it cannot be; nullopt: it is known.
  io::Task<std::optional<ExitStatus>> learn(std::string name) {
    gateway::Session& session = performer_.session();
    if (session.settings().find(name) == nullptr) {
      co_return report(setup_, unknown_server(session.settings(), name));
    }
    if (session.catalog().knowledge(name) != catalog::Knowledge::unknown) {
      co_return std::nullopt;
    }
    const tool::Answer answer = co_await performer_.perform(connect_request(name));
    if (!answer.is_error()) {
      co_return std::nullopt;
    }
    setup_.console->error(text_of(answer, tool::Reader::shell));
    co_return exit_status(answer.failure);
  }

  ExitStatus emit(const std::vector<EmittedServer>& servers) {
    const TypeScriptFile file = typescript_file(servers, !setup_.line.has(OptionId::types));
    for (const std::string& cut : file.cuts) {
      setup_.console->note("wider than its schema: " + cut);
    }
    const std::optional<std::string> path = setup_.line.value(OptionId::output);
    if (!path || *path == "-") {
      setup_.console->print_foreign(file.text);
      return ExitStatus::done;
    }
    const Result<void> written = io::write_output(*path, file.text);
    return written ? ExitStatus::done : report(setup_, written.error());
  }

  const Setup& setup_;
  Performer performer_;
};

io::Task<ExitStatus> emit_ts_main(io::Executor executor, const Setup* setup) {
  EmitTsCommand command(executor, *setup);
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_emit_ts_command(const Setup& setup) {
  return io::run([&setup](const io::Executor& executor) { return emit_ts_main(executor, &setup); });
}

}  // namespace pi_mcp::cli
