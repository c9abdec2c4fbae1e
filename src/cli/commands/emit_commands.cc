// `pi-mcp emit-ts` and `pi-mcp emit-cli`: clients of the tools of servers, in TypeScript or for a
// shell.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shell_word.h"
#include "cli/commands/commands.h"
#include "cli/commands/once.h"
#include "cli/commands/performer.h"
#include "cli/show/shell_program.h"
#include "cli/show/typescript_client.h"
#include "cli/unknown_server.h"
#include "cli/words/request.h"
#include "io/files/file.h"
#include "io/loop/loop.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

// The tools of the servers among the words of the command line, and where what is made of them
// goes.
class EmitCommand {
 public:
  // Makes it of them.
  using Emit = ExitStatus (*)(const Setup& setup, const std::vector<EmittedServer>& servers);

  EmitCommand(const io::Executor& executor, const Setup& setup, Emit emit)
      : setup_(setup), emit_(emit), performer_(executor, setup, load_settings(setup)) {}

  io::Task<ExitStatus> run() {
    performer_.start();
    const ExitStatus status = co_await emit();
    co_await performer_.close();
    co_return performer_.stopped().value_or(status);
  }

 private:
  io::Task<ExitStatus> emit() {
    const std::vector<std::string>& names = setup_.line.words();
    const config::Settings& settings = performer_.session().settings();
    for (const std::string& name : names) {
      if (settings.find(name) == nullptr) {
        co_return report(setup_, unknown_server(settings, name));
      }
    }
    say_warnings(settings, names);
    std::vector<EmittedServer> servers;
    for (const std::string& name : names) {
      if (const std::optional<ExitStatus> failed = co_await learn(name)) {
        co_return *failed;
      }
      servers.push_back({.name = name, .tools = performer_.session().catalog().tools(name)});
    }
    co_return emit_(setup_, servers);
  }

  // Starts the server when nothing is known of it. Why it cannot be; nullopt: it is known.
  io::Task<std::optional<ExitStatus>> learn(std::string name) {
    gateway::Session& session = performer_.session();
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

  const Setup& setup_;
  Emit emit_;
  Performer performer_;
};

enum class Kind : std::uint8_t { text, program };

ExitStatus write_out(const Setup& setup, std::string_view text, Kind kind) {
  const std::optional<std::string> path = setup.line.value(OptionId::output);
  if (!path || *path == "-") {
    setup.console->print_foreign(text);
    return ExitStatus::done;
  }
  Result<void> written = io::write_output(*path, text);
  if (written && kind == Kind::program) {
    written = io::allow_running(*path);
  }
  return written ? ExitStatus::done : report(setup, written.error());
}

ExitStatus emit_types(const Setup& setup, const std::vector<EmittedServer>& servers) {
  const TypeScriptFile file = typescript_file(servers, !setup.line.has(OptionId::types));
  for (const std::string& cut : file.cuts) {
    setup.console->note("wider than its schema: " + cut);
  }
  return write_out(setup, file.text, Kind::text);
}

// Those that --tool names. not_found: a pattern names none.
Result<std::vector<catalog::CatalogTool>> chosen(const Setup& setup, const EmittedServer& server) {
  const std::vector<std::string> patterns = setup.line.values(OptionId::tool);
  const auto is_named = [](const std::string& pattern) {
    return [&pattern](const catalog::CatalogTool& tool) {
      return !tool.is_resource() && catalog::names_tool(pattern, tool);
    };
  };
  for (const std::string& pattern : patterns) {
    if (std::ranges::none_of(server.tools, is_named(pattern))) {
      return fail(ErrorCode::not_found,
                  quoted(server.name) + " has no tool " + quoted(pattern) +
                      "; its tools: pi-mcp list " + text::shell_word(server.name));
    }
  }
  std::vector<catalog::CatalogTool> tools;
  std::ranges::copy_if(
      server.tools, std::back_inserter(tools), [&](const catalog::CatalogTool& tool) {
        return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
                 return is_named(pattern)(tool);
               });
      });
  return tools;
}

// The options of the command line that bring a server, or name the one that is configured.
ShellProgram program_of(const CommandLine& line, const std::string& server) {
  ShellProgram program{.server = server, .call = {"call"}, .words = {"emit-cli"}};
  bool is_brought = false;
  for (const auto& [id, name] : {std::pair(OptionId::stdio, "--stdio"),
                                 std::pair(OptionId::url, "--url"),
                                 std::pair(OptionId::env, "--env"),
                                 std::pair(OptionId::header, "--header")}) {
    for (const std::string& value : line.values(id)) {
      program.call.insert(program.call.end(), {name, value});
      is_brought = true;
    }
  }
  if (!is_brought) {
    program.call.insert(program.call.end(), {"--server", server});
    program.words.push_back(server);
  } else {
    program.words.insert(program.words.end(), program.call.begin() + 1, program.call.end());
  }
  for (const std::string& pattern : line.values(OptionId::tool)) {
    program.words.insert(program.words.end(), {"--tool", pattern});
  }
  return program;
}

ExitStatus emit_program(const Setup& setup, const std::vector<EmittedServer>& servers) {
  const EmittedServer& server = servers.front();
  Result<std::vector<catalog::CatalogTool>> tools = chosen(setup, server);
  if (!tools) {
    return report(setup, tools.error());
  }
  const ShellScript script = shell_script(program_of(setup.line, server.name), *std::move(tools));
  for (const std::string& name : script.left_out) {
    setup.console->note("left out, since nobody can write its name: " + name);
  }
  return write_out(setup, script.text, Kind::program);
}

io::Task<ExitStatus> emit_main(io::Executor executor, const Setup* setup, EmitCommand::Emit emit) {
  EmitCommand command(executor, *setup, emit);
  co_return co_await command.run();
}

ExitStatus run_emit(const Setup& setup, EmitCommand::Emit emit) {
  return io::run(
      [&setup, emit](const io::Executor& executor) { return emit_main(executor, &setup, emit); });
}

}  // namespace

ExitStatus run_emit_ts_command(const Setup& setup) {
  return run_emit(setup, emit_types);
}

ExitStatus run_emit_cli_command(const Setup& setup) {
  Setup own = setup;
  const Result<std::string> once = use_once(own, new_server_facts(own));
  if (!once) {
    return report(own, once.error());
  }
  if (own.line.words().empty()) {
    return report(
        own,
        {ErrorCode::invalid_argument,
         "emit-cli needs a server: pi-mcp emit-cli SERVER. " + see_help(own.line.command())});
  }
  return run_emit(own, emit_program);
}

}  // namespace pi_mcp::cli
