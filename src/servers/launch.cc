#include "servers/launch.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "io/file.h"
#include "io/run_command.h"

namespace pi_mcp::servers {
namespace {

constexpr io::CommandLimits secret_limits{.time_max = Milliseconds(10'000),
                                          .output_bytes_max = std::size_t{1} << 20U};

// What a child gets of our environment when its server says inheritEnv: false. Without these most
// programs do not even start.
constexpr std::array<std::string_view, 8> safe_variables = {
    "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"};

bool is_safe_variable(std::string_view name) {
  return name.starts_with("LC_") ||
         std::find(safe_variables.begin(), safe_variables.end(), name) != safe_variables.end();
}

// Whether an empty value would be sent somewhere as a credential.
bool looks_secret(std::string_view name) {
  const std::string lower = text::lower(name);
  constexpr std::array<std::string_view, 6> words = {
      "token", "key", "secret", "password", "credential", "auth"};
  return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) {
    return lower.find(word) != std::string::npos;
  });
}

// A start may be tried many times; the same advice once is enough. The memory is limited because
// configurations come and go in a process that serves many sessions.
void warn_once(const std::string& warning) {
  constexpr std::size_t remembered_max = 1000;
  static std::set<std::string> said;
  if (said.size() < remembered_max && said.insert(warning).second) {
    log::warning(warning);
  }
}

// The strings of one server, resolved in the environment of one session.
class Fields {
 public:
  Fields(const config::Server& server, const config::Environment& environment)
      : server_(server), environment_(environment) {}

  // `field` names it in messages: `env GITHUB_TOKEN`, `args[2]`.
  Result<std::string> text(const std::string& field, std::string_view configured) const {
    return resolve(field, configured, false);
  }
  // The same for a value that must not become empty by accident.
  Result<std::string> secret(const std::string& field, std::string_view configured) const {
    return resolve(field, configured, true);
  }

 private:
  Result<std::string> resolve(const std::string& field,
                              std::string_view configured,
                              bool is_secret) const {
    config::Interpolated value = config::interpolate(configured, environment_);
    for (const std::string& missing : value.missing) {
      std::string problem = field;
      problem.append(" uses the variable ").append(missing).append(", which is not set");
      if (is_secret) {
        problem.append("; set it, or give a default: ${").append(missing).append(":-...}");
        return fail(ErrorCode::invalid_argument, std::move(problem));
      }
      problem += " and counts as empty";
      warn_once("server " + server_.name + ": " + problem);
    }
    if (value.text.find('\0') != std::string::npos) {
      return fail(ErrorCode::invalid_argument, field + " contains a zero byte");
    }
    return std::move(value.text);
  }

  const config::Server& server_;
  const config::Environment& environment_;
};

std::string absolute(std::string path, const std::string& folder) {
  if (path.starts_with("./")) {
    path.erase(0, 2);
  }
  return path.starts_with('/') ? path : folder + (folder.ends_with('/') ? "" : "/") + path;
}

std::optional<Error> transport_problem(const config::Server& server) {
  if (server.url || server.socket) {
    return Error(ErrorCode::unavailable,
                 std::string("it is reached by ") + (server.url ? "url" : "socket") +
                     ", and this version of pi-mcp starts only local servers with a command");
  }
  if (!server.command || text::trim(*server.command).empty()) {
    return Error(ErrorCode::invalid_argument,
                 R"(it has no command to start; add "command" to its configuration)");
  }
  return std::nullopt;
}

Result<void> resolve_program(const config::Server& server,
                             const config::Environment& environment,
                             Launch& launch) {
  const Fields fields(server, environment);
  Result<std::string> command = fields.text("command", server.command.value_or(""));
  if (!command) {
    return fail(std::move(command).error());
  }
  launch.command = config::expand_home(*command, environment);
  if (launch.command.empty()) {
    return fail(ErrorCode::invalid_argument, "its command is empty once variables are replaced");
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

Result<std::string> resolve_cwd(const config::Server& server,
                                const config::Environment& environment) {
  if (!server.cwd || server.cwd->empty()) {
    return environment.cwd;
  }
  Result<std::string> configured = Fields(server, environment).text("cwd", *server.cwd);
  if (!configured) {
    return configured;
  }
  std::string path = absolute(config::expand_home(*configured, environment), environment.cwd);
  if (!io::is_directory(path)) {
    return fail(ErrorCode::invalid_argument,
                "its cwd \"" + path + "\" is no folder that exists; correct \"cwd\" or make it");
  }
  return path;
}

std::map<std::string, std::string> inherited(const config::Server& server,
                                             const config::Environment& environment) {
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : environment.variables) {
    if (server.inherit_env || is_safe_variable(name)) {
      variables.emplace(name, value);
    }
  }
  return variables;
}

Deadlines deadlines_of(const config::Server& server, const config::Settings& settings) {
  Deadlines deadlines;
  if (server.startup_timeout && server.startup_timeout->count() > 0) {
    deadlines.start = *server.startup_timeout;
  }
  const std::optional<Milliseconds> quiet =
      server.request_timeout ? server.request_timeout : settings.request_timeout;
  if (quiet && quiet->count() > 0) {  // 0 is the default, as in the reference adapter
    deadlines.call_quiet = *quiet;
  }
  deadlines.call_total = std::max(deadlines.call_total, deadlines.call_quiet);
  return deadlines;
}

// The trimmed output of a `!command` value. Errors never have output or command line in them: both
// may hold the secret.
io::Task<Result<std::string>> secret_output(std::string field,
                                            std::string line,
                                            config::Environment environment) {
  std::map<std::string, std::string> variables(environment.variables.begin(),
                                               environment.variables.end());
  io::Command command =
      io::shell_command(std::move(line), std::move(variables), std::move(environment.cwd));
  const Result<io::CommandOutput> output =
      co_await io::run_command(std::move(command), secret_limits);
  const std::string what = "the command of " + field;
  if (!output) {
    const ErrorCode code = output.error().code();
    co_return code == ErrorCode::cancelled
        ? fail(output.error())
        : fail(ErrorCode::unavailable, what + ": " + output.error().message());
  }
  if (output->status.code() != 0) {
    co_return fail(ErrorCode::unavailable,
                   what + " " + output->status.text() + "; run it in a shell to see why");
  }
  std::string secret(text::trim(output->text));
  if (secret.empty()) {
    co_return fail(ErrorCode::unavailable, what + " printed nothing");
  }
  co_return secret;
}

io::Task<Result<std::string>> env_value(config::Server server,
                                        config::Environment environment,
                                        std::string name) {
  const std::string configured = server.env[name];
  if (server.literal_env) {
    co_return configured;
  }
  const std::string field = "env " + name;
  const config::SecretCommand command = config::secret_command(configured);
  if (command.is_command) {
    co_return co_await secret_output(field, command.text, std::move(environment));
  }
  const Fields fields(server, environment);
  co_return looks_secret(name) ? fields.secret(field, command.text)
                               : fields.text(field, command.text);
}

io::Task<Result<Launch>> resolve(config::Server server,
                                 config::Environment environment,
                                 config::Settings settings) {
  if (const std::optional<Error> problem = transport_problem(server)) {
    co_return fail(*problem);
  }
  Launch launch;
  launch.server = server.name;
  launch.debug = server.debug;
  launch.deadlines = deadlines_of(server, settings);
  launch.env = inherited(server, environment);
  const Result<void> program = resolve_program(server, environment, launch);
  if (!program) {
    co_return fail(program.error());
  }
  Result<std::string> cwd = resolve_cwd(server, environment);
  if (!cwd) {
    co_return fail(std::move(cwd).error());
  }
  launch.cwd = *std::move(cwd);
  for (const auto& [name, configured] : server.env) {
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos) {
      co_return fail(ErrorCode::invalid_argument,
                     "env \"" + text::printable(name) + "\" is no name of a variable");
    }
    Result<std::string> value = co_await env_value(server, environment, name);
    if (!value) {
      co_return fail(std::move(value).error());
    }
    launch.env[name] = *std::move(value);
  }
  co_return launch;
}

}  // namespace

io::Task<Result<Launch>> resolve_launch(config::Server server,
                                        config::Environment environment,
                                        config::Settings settings) {
  if (server.problem) {  // a whole sentence, which names the server
    co_return fail(ErrorCode::invalid_argument, *server.problem);
  }
  const std::string name = server.name;
  Result<Launch> launch =
      co_await resolve(std::move(server), std::move(environment), std::move(settings));
  if (!launch) {
    co_return fail(std::move(launch).error().while_doing(name));
  }
  co_return launch;
}

}  // namespace pi_mcp::servers
