// Programs of the user that give credentials: `!command` values and `requestHeadersCommand`.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/process_traits.h"
#include "base/result.h"
#include "base/time.h"
#include "config/environment.h"
#include "io/loop/task.h"

namespace pi_mcp::servers {

// Everything resolved.
struct CredentialCommand {
  std::string program;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // its whole environment
  std::string cwd;                         // absolute
  Milliseconds time_max{10'000};
  std::optional<ProcessTraits> process = std::nullopt;  // as its session's; see io::Command
};

// A line for the shell in the environment of a session.
CredentialCommand shell_credential(std::string line, const config::Environment& environment);

struct CredentialRun {
  std::string what;   // begins its errors: "the command of bearerToken"
  std::string input;  // its stdin
  std::size_t output_bytes_max = std::size_t{1} << 20U;
  std::string slow_advice;  // what helps when it takes too long
};

// The trimmed output. Empty and relative entries of PATH find no program of its folder.
// unavailable: it could not be run, failed, took too long or printed too much; cancelled. Errors
// never have output or arguments in them: both may hold the secret.
io::Task<Result<std::string>> credential_output(CredentialCommand command, CredentialRun run);

}  // namespace pi_mcp::servers
