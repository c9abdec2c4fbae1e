// What every command starts from: the command line, the environment of this process and where to
// print. Also how failures are reported.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/show/console.h"
#include "cli/show/exit_status.h"
#include "cli/words/command_line.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/settings.h"

namespace pi_mcp::cli {

struct Setup {
  CommandLine line;
  config::Environment environment;
  config::LoadOptions load_options;
  std::optional<Milliseconds> timeout;
  bool json = false;
  bool for_shell = false;  // the session of a shell command that another process serves
  Console* console = nullptr;
};

// The environment of this process, with its working directory.
config::Environment process_environment(const std::map<std::string, std::string>& variables);
// That of another process of this machine and user. Our home directory is taken for its own where
// HOME says nothing.
config::Environment environment_of(std::map<std::string, std::string> variables,
                                   std::string folder,
                                   const ProcessTraits& traits);

// Applies the options of every command. invalid_argument: a wrong value, or a folder or file that
// does not exist.
Result<Setup> make_setup(CommandLine line, config::Environment environment, Console* console);

// A yes of the host's user is about the files as they were when it was given: whoever has taken it,
// or finds that another process has, forgets it. A no stays.
void forget_hosts_yes(Setup& setup);

// The configuration in effect. Its warnings are for say_warnings().
config::Settings load_settings(const Setup& setup);

// What a shell wants of it: the whole result, and the time that was asked for.
config::Settings for_shell(config::Settings settings, std::optional<Milliseconds> timeout);

// What is wrong with the configuration as a whole and with these servers; nullopt: with all.
std::vector<config::Warning> warnings_about(const config::Settings& settings,
                                            const std::optional<std::vector<std::string>>& servers);
// Says that on stderr.
void say_warnings(const config::Settings& settings,
                  const std::optional<std::vector<std::string>>& servers);
// A file of it was left out, or this one.
[[nodiscard]] bool is_unreadable(const config::Settings& settings);
[[nodiscard]] bool is_unreadable(const config::Settings& settings, std::string_view path);

// Says what failed: on stderr, and with --json on stdout as {"error":code,"message":...}.
ExitStatus report(Console& console, bool json, const Error& error);
inline ExitStatus report(const Setup& setup, const Error& error) {
  return report(*setup.console, setup.json, error);
}

// Prints what a command has to say, with --json a JSON value, or reports why it has nothing.
ExitStatus print_or_report(const Setup& setup, const Result<std::string>& said);

// A JSON value on a line of its own: indented on a terminal, as it is in a pipe.
void print_json(Console& console, std::string_view json);

}  // namespace pi_mcp::cli
