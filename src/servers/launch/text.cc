#include "servers/launch/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "json/writer.h"
#include "secrets/mask.h"
#include "servers/launch/credential_command.h"

namespace pi_mcp::servers {
namespace {

// A start may be tried many times; the same advice once is enough. The memory is limited because
// configurations come and go in a process that serves many sessions.
void warn_once(const std::string& warning) {
  constexpr std::size_t remembered_max = 1000;
  static std::set<std::string> said;
  if (said.size() < remembered_max && said.insert(warning).second) {
    log::warning(warning);
  }
}

}  // namespace

bool is_credential_name(std::string_view name) {
  const std::string lower = text::lower(name);
  constexpr std::array<std::string_view, 6> words = {
      "token", "key", "secret", "password", "credential", "auth"};
  return std::ranges::any_of(
      words, [&lower](std::string_view word) { return lower.find(word) != std::string::npos; });
}

std::string command_advice(std::string_view command) {
  const Result<std::vector<std::string>> words = text::shell_words(command);
  if (!words || words->empty()) {
    return "write the program alone in \"command\" and each argument in \"args\"";
  }
  const std::vector<std::string> masked = secrets::mask_arguments(*words);
  json::Writer args;
  args.begin_array();
  for (std::size_t i = 1; i < masked.size(); ++i) {
    args.string(masked[i]);
  }
  json::Writer program;
  program.string(masked.front());
  return "write \"command\": " + program.take() + ", \"args\": " + args.end_array().take();
}

Result<std::string> LaunchText::resolve(const std::string& field,
                                        std::string_view configured,
                                        TextKind kind) const {
  config::Interpolated value = environment_.filled(configured);
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
                                           LaunchEnvironment environment,
                                           LaunchField field) {
  const config::SecretCommand command = config::secret_command(field.configured);
  if (command.is_command) {
    CredentialRun run;
    run.what = "the command of " + field.name;
    co_return co_await credential_output(shell_credential(command.text, environment),
                                         std::move(run));
  }
  co_return LaunchText(server, environment).resolve(field.name, command.text, field.kind);
}

}  // namespace pi_mcp::servers
