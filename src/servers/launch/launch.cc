#include "servers/launch/launch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/identity.h"
#include "config/interpolate.h"
#include "io/files/file.h"
#include "io/process/executable.h"
#include "json/document.h"
#include "packages/isolation.h"
#include "packages/search_paths.h"
#include "servers/launch/remote.h"
#include "servers/launch/secrets.h"
#include "servers/launch/shared_child.h"
#include "servers/launch/stored_secrets.h"
#include "servers/launch/text.h"

namespace pi_mcp::servers {
namespace {

std::string absolute(std::string path, const std::string& folder) {
  if (path.starts_with("./")) {
    path.erase(0, 2);
  }
  return path.starts_with('/') ? path : folder + (folder.ends_with('/') ? "" : "/") + path;
}

std::optional<Error> transport_problem(const config::Server& server) {
  if (!server.command || text::trim(*server.command).empty()) {
    return Error(ErrorCode::invalid_argument,
                 R"(it has nothing to start or to reach; add "command" or "url" to its )"
                 "configuration");
  }
  return std::nullopt;
}

// A whole command line where the program alone belongs; a program may have a space in its name.
std::optional<Error> spaces_problem(const config::Server& server,
                                    const std::string& program,
                                    const std::map<std::string, std::string>& variables,
                                    const std::string& cwd) {
  if (text::words(program).size() < 2 || io::find_executable(program, variables, cwd)) {
    return std::nullopt;
  }
  return Error(ErrorCode::invalid_argument,
               "its \"command\" holds spaces, and no program is called like that; " +
                   command_advice(*server.command));
}

Result<void> resolve_program(const config::Server& server,
                             const LaunchEnvironment& environment,
                             Launch& launch) {
  const LaunchText fields(server, environment);
  Result<std::string> command = fields.text("command", server.command.value_or(""));
  if (!command) {
    return fail(std::move(command).error());
  }
  launch.command = config::expand_home(*command, environment);
  if (launch.command.empty()) {
    return fail(ErrorCode::invalid_argument, "its command is empty once variables are replaced");
  }
  if (std::optional<Error> problem =
          spaces_problem(server, launch.command, launch.env, environment.cwd)) {
    return fail(*std::move(problem));
  }
  // As a shell in the session's folder would, not in the server's own cwd.
  if (launch.command.find('/') != std::string::npos) {
    launch.command = absolute(launch.command, environment.cwd);
  }
  for (std::size_t i = 0; i < server.args.size(); ++i) {
    Result<std::string> arg = fields.text("args[" + std::to_string(i) + "]", server.args[i]);
    if (!arg) {
      return fail(std::move(arg).error());
    }
    launch.args.push_back(*std::move(arg));
  }
  return {};
}

// A plugin's, which may be its cwd.
Result<void> make_data_folder(const config::Server& server, const LaunchEnvironment& environment) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  const std::string path = entry ? entry->root().find("pluginDataDir").string_or("") : "";
  return path.empty()
             ? Result<void>()
             : io::make_folders(absolute(config::expand_home(path, environment), environment.cwd));
}

Result<std::string> resolve_cwd(const config::Server& server,
                                const LaunchEnvironment& environment,
                                bool at_home) {
  if (const Result<void> made = make_data_folder(server, environment); !made) {
    return fail(made.error());
  }
  if (!server.cwd || server.cwd->empty()) {
    return at_home ? environment.home : environment.cwd;
  }
  Result<std::string> configured = LaunchText(server, environment).text("cwd", *server.cwd);
  if (!configured) {
    return configured;
  }
  std::string path = absolute(config::expand_home(*configured, environment), environment.cwd);
  if (!io::is_directory(path)) {
    return fail(ErrorCode::invalid_argument,
                "its cwd \"" + path + "\" is not an existing folder; correct \"cwd\" or make it");
  }
  return path;
}

// The command is the user's, the folder may be anybody's.
void keep_out_folder(const config::Server& server, Launch& launch) {
  packages::remove_relative_entries(launch.env, server.env);
  launch.kept_out =
      packages::isolate({.command = launch.command, .args = launch.args}, launch.cwd).has_value();
}

std::optional<Trace> trace_of(const config::Server& server,
                              const config::Settings& settings,
                              const config::Environment& environment) {
  const config::TraceSettings& wanted = settings.trace;
  // A project writes nowhere.
  const bool of_project = server.standing == config::Standing::project;
  if (!(of_project ? wanted.enabled : server.trace.value_or(wanted.enabled))) {
    return std::nullopt;
  }
  const std::string file = wanted.file.empty() ? ".pi/mcp-traces/" : wanted.file;
  return Trace{.path = absolute(config::expand_home(file, environment), environment.cwd),
               .bytes_max = wanted.bytes_max,
               .lines_max = wanted.events_max};
}

Deadlines deadlines_of(const config::Server& server, const config::Settings& settings) {
  // 0 is the default, as in the reference adapter.
  const auto choose = [](std::optional<Milliseconds> own,
                         std::optional<Milliseconds> common,
                         Milliseconds fallback) {
    const Milliseconds chosen = own.value_or(common.value_or(fallback));
    return chosen.count() > 0 ? chosen : fallback;
  };
  constexpr Deadlines usual;
  Deadlines deadlines;
  deadlines.start = choose(server.startup_timeout, settings.startup_timeout, usual.start);
  deadlines.install = choose(server.install_timeout, settings.install_timeout, usual.install);
  deadlines.call_quiet = choose(server.request_timeout, settings.request_timeout, usual.call_quiet);
  deadlines.call_total =
      choose(server.request_total_timeout, settings.request_total_timeout, usual.call_total);
  deadlines.install = std::max(deadlines.install, deadlines.start);
  deadlines.call_total = std::max(deadlines.call_total, deadlines.call_quiet);
  return deadlines;
}

io::Task<Result<std::string>> env_value(config::Server server,
                                        LaunchEnvironment environment,
                                        std::string name) {
  const std::string configured = server.env[name];
  if (server.literal_env) {
    co_return configured;
  }
  const TextKind kind = is_credential_name(name) ? TextKind::secret : TextKind::plain;
  co_return co_await launch_value(std::move(server),
                                  std::move(environment),
                                  {.name = "env " + name, .configured = configured, .kind = kind});
}

io::Task<Result<Launch>> resolve(config::Server server,
                                 LaunchEnvironment environment,
                                 config::Settings settings,
                                 Sharing sharing) {
  Launch launch;
  launch.server = server.name;
  launch.entry = config::entry_identity(server);
  launch.principal = settings.principal;
  launch.debug = server.debug;
  launch.trace = trace_of(server, settings, environment);
  launch.protocol = server.protocol;
  launch.tasks = server.tasks;
  launch.deadlines = deadlines_of(server, settings);
  launch.session = sharing.session;
  launch.pages = {
      .addresses = {.own_urls = {"http://localhost"}, .private_hosts = settings.private_hosts},
      .environment = network_environment(environment)};
  if (server.url) {
    Result<RemoteLaunch> remote =
        co_await resolve_remote(std::move(server), std::move(environment), std::move(settings));
    if (!remote) {
      co_return fail(std::move(remote).error());
    }
    launch.remote = *std::move(remote);
    launch.pages.addresses.own_urls = {launch.remote->url};
    co_return launch;
  }
  if (server.socket) {
    Result<std::string> path = resolve_socket(server, environment);
    if (!path) {
      co_return fail(std::move(path).error());
    }
    launch.socket = *std::move(path);
    co_return launch;
  }
  if (const std::optional<Error> problem = transport_problem(server)) {
    co_return fail(*problem);
  }
  launch.env = child_environment(server, environment, sharing);
  launch.process = child_process(environment, sharing);
  const Result<void> program = resolve_program(server, environment, launch);
  if (!program) {
    co_return fail(program.error());
  }
  const bool at_home = is_for_all(sharing);
  Result<std::string> cwd = resolve_cwd(server, environment, at_home);
  if (!cwd) {
    co_return fail(std::move(cwd).error());
  }
  launch.cwd = *std::move(cwd);
  launch.cwd_identity = io::identity_of(launch.cwd);
  for (const auto& [name, configured] : server.env) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos) {
      co_return fail(ErrorCode::invalid_argument,
                     "env \"" + text::printable(name) + "\" is not the name of a variable");
    }
    Result<std::string> value = co_await env_value(server, environment, name);
    if (!value) {
      co_return fail(std::move(value).error());
    }
    launch.env[name] = *std::move(value);
  }
  const bool own_folder = server.cwd && !server.cwd->empty();
  const bool of_project = server.standing == config::Standing::project;
  if (!settings.folder_trusted && !own_folder && !of_project) {
    keep_out_folder(server, launch);
  }
  note_sharing(server, sharing, launch);
  co_return launch;
}

}  // namespace

io::Task<Result<Launch>> resolve_launch(config::Server server,
                                        config::Environment environment,
                                        config::Settings settings,
                                        Sharing sharing) {
  if (server.standing == config::Standing::needs_trust) {
    co_return fail(ErrorCode::unauthorized,
                   "server \"" + server.name + "\" of the project is not trusted");
  }
  if (server.problem) {  // a whole sentence, which names the server
    co_return fail(ErrorCode::invalid_argument, *server.problem);
  }
  LaunchEnvironment known{std::move(environment), {}};
  if (const Result<void> added = co_await add_secrets(server, settings, &known); !added) {
    co_return fail(Error(added.error()).while_doing(server.name));
  }
  Result<Launch> launch = co_await resolve(server, known, std::move(settings), sharing);
  if (!launch) {
    co_return fail(std::move(launch).error().while_doing(server.name));
  }
  launch->secrets = secrets_of(server, known, *launch);
  co_return launch;
}

std::optional<std::string> missing_program(const config::Server& server,
                                           const config::Environment& environment) {
  if (!server.command || server.disabled || server.problem) {
    return std::nullopt;
  }
  const config::Interpolated command = config::interpolate(*server.command, environment);
  std::map<std::string, std::string> variables = child_environment(server, environment, {});
  if (const auto path = server.env.find("PATH"); path != server.env.end()) {
    const config::Interpolated value = config::interpolate(path->second, environment);
    if (config::secret_command(value.text).is_command || !value.missing.empty()) {
      return std::nullopt;
    }
    variables["PATH"] = server.literal_env ? path->second : value.text;
  }
  std::string program = config::expand_home(command.text, environment);
  if (program.empty() || !command.missing.empty()) {
    return std::nullopt;
  }
  if (const std::optional<Error> problem =
          spaces_problem(server, program, variables, environment.cwd)) {
    return problem->message();
  }
  if (program.find('/') != std::string::npos) {
    program = absolute(std::move(program), environment.cwd);
  }
  const Result<std::string> found = io::find_executable(program, variables, environment.cwd);
  return found ? std::nullopt : std::optional(found.error().message());
}

}  // namespace pi_mcp::servers
