#include "servers/launch_text.h"

#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "io/run_command.h"

namespace pi_mcp::servers {
namespace {

constexpr io::CommandLimits secret_limits{.time_max = Milliseconds(10'000),
                                          .output_bytes_max = std::size_t{1} << 20U};

// A start may be tried many times; the same advice once is enough. The memory is limited because
// configurations come and go in a process that serves many sessions.
void warn_once(const std::string& warning) {
  constexpr std::size_t remembered_max = 1000;
  static std::set<std::string> said;
  if (said.size() < remembered_max && said.insert(warning).second) {
    log::warning(warning);
  }
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

}  // namespace

Result<std::string> LaunchText::resolve(const std::string& field,
                                        std::string_view configured,
                                        TextKind kind) const {
  config::Interpolated value = config::interpolate(configured, environment_);
  for (const std::string& missing : value.missing) {
    std::string problem = field;
    problem.append(" uses the variable ").append(missing).append(", which is not set");
    if (kind == TextKind::secret) {
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

io::Task<Result<std::string>> launch_value(config::Server server,
                                           config::Environment environment,
                                           LaunchField field) {
  const config::SecretCommand command = config::secret_command(field.configured);
  if (command.is_command) {
    co_return co_await secret_output(field.name, command.text, std::move(environment));
  }
  co_return LaunchText(server, environment).resolve(field.name, command.text, field.kind);
}

}  // namespace pi_mcp::servers
