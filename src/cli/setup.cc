#include "cli/setup.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "cli/real_files.h"
#include "cli/trust_record.h"
#include "config/interpolate.h"
#include "io/process/environment.h"
#include "io/process/process_limits.h"
#include "json/document.h"
#include "json/writer.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

#if defined(__APPLE__)
constexpr config::Platform this_platform = config::Platform::macos;
#elif defined(_WIN32)
constexpr config::Platform this_platform = config::Platform::windows;
#else
constexpr config::Platform this_platform = config::Platform::linux_;
#endif

// `path` as seen from `folder`, with ~ expanded.
std::string absolute(const std::string& path, const config::Environment& environment) {
  const std::string expanded = config::expand_home(path, environment);
  return expanded.starts_with('/') ? expanded : environment.cwd + "/" + expanded;
}

Result<void> set_log_level(const CommandLine& line, const config::Environment& environment) {
  if (const std::optional<std::string> given = line.value(OptionId::log_level)) {
    const std::optional<log::Level> level = log::parse_level(*given);
    if (!level) {
      return fail(ErrorCode::invalid_argument,
                  "--log-level wants error, warning, info, debug or off, not \"" + *given + "\"");
    }
    log::set_level(*level);
    return {};
  }
  if (const std::optional<std::string> given = environment.variable("PI_MCP_LOG")) {
    if (const std::optional<log::Level> level = log::parse_level(*given)) {
      log::set_level(*level);
    } else if (!given->empty()) {
      log::warning("PI_MCP_LOG wants error, warning, info, debug or off, not \"" + *given + "\"");
    }
  }
  return {};
}

// --through: the one server is all there is.
Result<void> narrow_to_one(const CommandLine& line, config::LoadOptions& options) {
  const std::optional<std::string> server = line.value(OptionId::through);
  if (!server) {
    return {};
  }
  if (line.has(OptionId::servers) || line.has(OptionId::split) || line.has(OptionId::host_config) ||
      line.value(OptionId::host).value_or("mcp") != "mcp") {
    return fail(ErrorCode::invalid_argument,
                "--through shows one server and nothing of pi-mcp; leave out --servers, --split, "
                "--host and --host-config");
  }
  if (text::trim(*server).empty()) {
    return fail(ErrorCode::invalid_argument, "--through wants the name of a server");
  }
  options.servers = {std::string(text::trim(*server))};
  return {};
}

}  // namespace

config::Environment process_environment(const std::map<std::string, std::string>& variables) {
  return {.variables = variables,
          .home = io::home_directory(),
          .cwd = io::working_directory(),
          .platform = this_platform,
          .process = io::own_traits()};
}

config::Environment environment_of(std::map<std::string, std::string> variables,
                                   std::string folder,
                                   const ProcessTraits& traits) {
  const auto home = variables.find("HOME");
  const bool says_home = home != variables.end() && home->second.starts_with('/');
  std::string home_folder = says_home ? home->second : io::home_directory();
  return {.variables = std::move(variables),
          .home = std::move(home_folder),
          .cwd = std::move(folder),
          .platform = this_platform,
          .process = traits};
}

Result<Setup> make_setup(CommandLine line, config::Environment environment, Console* console) {
  Setup setup;
  if (const std::optional<std::string> folder = line.value(OptionId::cwd)) {
    environment.cwd = io::canonical_path(absolute(*folder, environment));
    if (!io::is_directory(environment.cwd)) {
      return fail(ErrorCode::invalid_argument, "--cwd: there is no folder " + *folder);
    }
  }
  if (const std::optional<std::string> file = line.value(OptionId::config)) {
    setup.load_options.config_file = absolute(*file, environment);
  }
  setup.load_options.split_tool = line.has(OptionId::split);
  for (const std::string& names : line.values(OptionId::servers)) {
    for (const std::string_view name : text::split(names, ',')) {
      setup.load_options.servers.emplace_back(text::trim(name));
    }
  }
  std::erase(setup.load_options.servers, "");
  if (line.has(OptionId::servers) && setup.load_options.servers.empty()) {
    return fail(ErrorCode::invalid_argument, "--servers wants names with commas between them");
  }
  if (const Result<void> narrowed = narrow_to_one(line, setup.load_options); !narrowed) {
    return fail(narrowed.error());
  }
  if (line.has(OptionId::host_config)) {
    if (line.has(OptionId::config) || line.has(OptionId::servers)) {
      return fail(ErrorCode::invalid_argument,
                  "--host-config: the host brings all of the configuration; leave out --config and "
                  "--servers");
    }
    setup.load_options.given = "{}";
  }
  if (Result<void> level = set_log_level(line, environment); !level) {
    return fail(level.error());
  }
  const Result<std::optional<Milliseconds>> timeout = timeout_option(line);
  if (!timeout) {
    return fail(timeout.error());
  }
  setup.load_options.trust.everything = line.has(OptionId::trust_project);
  if (const std::optional<std::string> said = line.value(OptionId::host_trusts)) {
    if (*said != "yes" && *said != "no") {
      return fail(ErrorCode::invalid_argument,
                  "--host-trusts wants yes or no, not \"" + *said + "\"");
    }
    setup.load_options.trust.host = *said == "yes";
  }
  setup.timeout = *timeout;
  setup.json = line.has(OptionId::json);
  setup.line = std::move(line);
  setup.environment = std::move(environment);
  setup.console = console;
  return setup;
}

void forget_hosts_yes(Setup& setup) {
  if (setup.load_options.trust.host.value_or(false)) {
    setup.load_options.trust.host.reset();
  }
}

config::Settings load_settings(const Setup& setup) {
  return load_configuration(setup, RealFiles());
}

config::Settings for_shell(config::Settings settings, std::optional<Milliseconds> timeout) {
  settings.output_guard.enabled = false;
  if (timeout) {
    // Longer than ours, so that ours is the one reported.
    constexpr Milliseconds server_limit_extra{5000};
    const Milliseconds limit = *timeout + server_limit_extra;
    settings.request_timeout = limit;
    for (config::Server& server : settings.servers) {
      server.request_timeout = limit;
      server.request_total_timeout = limit;
      server.startup_timeout = limit;
      server.install_timeout = limit;
    }
  }
  return settings;
}

std::vector<config::Warning> warnings_about(
    const config::Settings& settings, const std::optional<std::vector<std::string>>& servers) {
  std::vector<config::Warning> all = settings.warnings;
  std::erase_if(all, [&servers](const config::Warning& warning) {
    return servers && !warning.server.empty() &&
           std::ranges::find(*servers, warning.server) == servers->end();
  });
  return all;
}

void say_warnings(const config::Settings& settings,
                  const std::optional<std::vector<std::string>>& servers) {
  for (const config::Warning& warning : warnings_about(settings, servers)) {
    log::warning(warning.message);
  }
}

bool is_unreadable(const config::Settings& settings) {
  return std::ranges::any_of(settings.warnings, &config::Warning::unreadable);
}

bool is_unreadable(const config::Settings& settings, std::string_view path) {
  return std::ranges::any_of(settings.warnings, [path](const config::Warning& warning) {
    return warning.unreadable && warning.path == path;
  });
}

ExitStatus report(Console& console, bool json, const Error& error) {
  const std::string message =
      error.message() + tool::remedy_step(error.remedy().get()).said_to(tool::Reader::shell);
  if (json) {
    json::Writer writer;
    writer.begin_object()
        .member("error", error_name(error.code()))
        .member("message", message)
        .end_object();
    print_json(console, writer.text());
  }
  console.error(message);
  return exit_status(error.code());
}

ExitStatus print_or_report(const Setup& setup, const Result<std::string>& said) {
  if (!said) {
    return report(setup, said.error());
  }
  if (setup.json) {
    print_json(*setup.console, *said);
  } else {
    setup.console->print_fitted(*said);
  }
  return ExitStatus::done;
}

void print_json(Console& console, std::string_view json) {
  if (console.output_is_terminal()) {
    if (const Result<json::Document> document = json::Document::parse_view(json)) {
      console.print_foreign(json::pretty(document->root()) + "\n");
      return;
    }
  }
  console.print(json);
  console.print("\n");
}

}  // namespace pi_mcp::cli
