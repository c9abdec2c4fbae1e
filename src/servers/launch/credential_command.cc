#include "servers/launch/credential_command.h"

#include <utility>

#include "base/text.h"
#include "io/process/run_command.h"
#include "packages/search_paths.h"

namespace pi_mcp::servers {

CredentialCommand shell_credential(std::string line, const config::Environment& environment) {
  return {.program = "sh",
          .args = {"-c", std::move(line)},
          .env = {environment.variables.begin(), environment.variables.end()},
          .cwd = environment.cwd,
          .process = environment.process};
}

io::Task<Result<std::string>> credential_output(CredentialCommand command, CredentialRun run) {
  const io::CommandLimits limits{.time_max = command.time_max,
                                 .output_bytes_max = run.output_bytes_max};
  io::Command started{.program = std::move(command.program),
                      .arguments = std::move(command.args),
                      .environment = std::move(command.env),
                      .folder = std::move(command.cwd),
                      .traits = command.process};
  // Nothing is found in the folder by accident: it may be anybody's.
  packages::remove_relative_entries(started.environment, {});
  const Result<io::CommandOutput> output =
      co_await io::run_command(std::move(started), limits, std::move(run.input));
  if (!output && output.error().code() == ErrorCode::cancelled) {
    co_return fail(output.error());
  }
  if (!output) {
    const bool is_slow = output.error().code() == ErrorCode::timed_out;
    co_return fail(
        ErrorCode::unavailable,
        run.what + ": " + output.error().message() + (is_slow ? run.slow_advice : std::string()));
  }
  if (output->status.code() != 0) {
    co_return fail(ErrorCode::unavailable,
                   run.what + " " + output->status.text() + "; run it in a shell to see why");
  }
  std::string printed(text::trim(output->text));
  if (printed.empty()) {
    co_return fail(ErrorCode::unavailable, run.what + " printed nothing");
  }
  co_return printed;
}

}  // namespace pi_mcp::servers
