#include "cli/program.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cli/commands/commands.h"
#include "cli/setup.h"
#include "cli/sharing/shared_commands.h"
#include "cli/sharing/shared_process.h"
#include "cli/show/build_facts.h"
#include "cli/show/console.h"
#include "cli/show/exit_status.h"
#include "cli/unknown_server.h"
#include "cli/words/command_line.h"
#include "cli/words/completion.h"
#include "cli/words/help.h"
#include "io/files/fd.h"
#include "io/loop/signals.h"
#include "io/process/environment.h"
#include "io/process/process_limits.h"
#include "io/process/terminal.h"

namespace pi_mcp::cli {
namespace {

// The descriptors that every program starts with.
constexpr int standard_input = 0;
constexpr int standard_output = 1;
constexpr int standard_error = 2;

// For a loop, the pipes of a server while it is started, files and a watch on them.
constexpr std::size_t open_files_min = 32;

Console::Facts console_facts(const io::EnvironmentMap& variables, bool quiet) {
  const bool output_terminal = io::is_terminal(standard_output);
  return {.input_terminal = io::is_terminal(standard_input),
          .output_terminal = output_terminal,
          .error_terminal = io::is_terminal(standard_error),
          .error_redraws = io::is_capable_terminal(standard_error, variables),
          .output_colour = io::colour_wanted(standard_output, variables),
          .error_colour = io::colour_wanted(standard_error, variables),
          .quiet = quiet,
          .columns =
              io::terminal_columns(output_terminal ? standard_output : standard_error, variables)};
}

ExitStatus print_help(Console& console, const Command* command) {
  console.print_fitted(command == nullptr ? general_help(console.style())
                                          : command_help(*command, console.style()));
  return ExitStatus::done;
}

ExitStatus run_help(Console& console, const CommandLine& line, bool json) {
  if (line.words().empty()) {
    return print_help(console, nullptr);
  }
  const std::string& name = line.words().front();
  if (name == "man") {
    console.print(manual_page());
    return ExitStatus::done;
  }
  const Command* command = find_command(name);
  if (command != nullptr) {
    return print_help(console, command);
  }
  const std::string_view nearest = nearest_command(name);
  const std::string message =
      "there is no command \"" + name + "\"" +
      (nearest.empty() ? "." : "; did you mean \"" + std::string(nearest) + "\"?");
  return report(console, json, {ErrorCode::invalid_argument, message + " " + see_help(nullptr)});
}

ExitStatus run_completion(Console& console, const CommandLine& line, bool json) {
  const std::optional<std::string_view> script = completion_script(line.words().front());
  if (!script) {
    return report(console,
                  json,
                  {ErrorCode::invalid_argument,
                   "completion wants bash, zsh or fish, not \"" + line.words().front() + "\""});
  }
  console.print(*script);
  return ExitStatus::done;
}

// Whether what it asks for stands in the files of the configuration.
bool looks_up(const CommandLine& line) {
  constexpr std::array elsewhere = {
      CommandId::token, CommandId::secret, CommandId::replay, CommandId::import, CommandId::setup};
  return std::ranges::find(elsewhere, line.command()->id) == elsewhere.end() &&
         !line.has(OptionId::keys) && !line.has(OptionId::for_token);
}

// Commands that depend on this machine: its files, its environment, its servers.
ExitStatus run_command(const Setup& setup) {
  switch (setup.line.command()->id) {
    case CommandId::serve:
      return run_serve_command(setup);
    case CommandId::config:
    case CommandId::import:
    case CommandId::add:
    case CommandId::remove:
    case CommandId::enable:
    case CommandId::disable:
      return run_config_command(setup);
    case CommandId::doctor:
      return run_doctor_command(setup);
    case CommandId::setup:
      return run_setup_command(setup);
    case CommandId::trust:
      return run_trust_command(setup);
    case CommandId::stop:
      return run_stop_command(setup);
    case CommandId::secret:
      return run_secret_command(setup);
    case CommandId::token:
      return run_token_command(setup);
    case CommandId::auth:
    case CommandId::logout:
      return run_auth_command(setup);
    case CommandId::keywords:
      return run_keywords_command(setup);
    case CommandId::logs:
      return run_logs_command(setup);
    case CommandId::resources:
    case CommandId::prompts:
    case CommandId::prompt:
      return run_offer_command(setup);
    case CommandId::emit_cli:
      return run_emit_cli_command(setup);
    case CommandId::emit_ts:
      return run_emit_ts_command(setup);
    case CommandId::record:
      return run_record_command(setup);
    case CommandId::replay:
      return run_replay_command(setup);
    case CommandId::complete:
      return run_complete_command(setup);
    default:
      return run_session_command(setup);
  }
}

ExitStatus run(Console& console,
               const io::EnvironmentMap& variables,
               CommandLine line,
               const BuildFacts& built) {
  const bool json = line.has(OptionId::json);
  if (line.has(OptionId::version)) {
    console.print(json ? version_details(built) : version_line(built));
    return ExitStatus::done;
  }
  if (line.command() == nullptr || line.has(OptionId::help)) {
    return print_help(console, line.command());
  }
  if (line.command()->id == CommandId::help) {
    return run_help(console, line, json);
  }
  if (line.command()->id == CommandId::completion) {
    return run_completion(console, line, json);
  }
  if (line.command()->id == CommandId::keyring) {
    return run_keyring_command(console, line.words());
  }
  if (line.command()->id == CommandId::shared) {
    return run_shared_process(console, line.words().front());
  }
  if (const Result<void> possible = io::ensure_open_files(open_files_min); !possible) {
    return report(console, json, possible.error());
  }
  const Result<Setup> setup = make_setup(std::move(line), process_environment(variables), &console);
  if (!setup) {
    return report(console, json, setup.error());
  }
  const ExitStatus status = run_command(*setup);
  return looks_up(setup->line) ? status_of_lookup(*setup, status) : status;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const BuildFacts& built) {
  io::open_standard_files();
  io::ignore_broken_pipes();
  io::keep_own_rights();
  const io::EnvironmentMap variables = io::process_environment();
  Result<CommandLine> line = CommandLine::parse(arguments);
  Console console(console_facts(variables, line && line->has(OptionId::quiet)));
  ExitStatus status = line ? run(console, variables, *std::move(line), built)
                           : report(console, asks_for_json(arguments), line.error());
  if (const Result<void> printed = console.finish(); console.reader_is_gone()) {
    status = ExitStatus::reader_gone;
  } else if (!printed) {
    console.error(printed.error().message());
    status = status == ExitStatus::done ? exit_status(printed.error().code()) : status;
  }
  return static_cast<int>(status);
}

}  // namespace pi_mcp::cli
