// `bearerToken: "!command"`: a token that a command prints, as long as a connection is in use.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "servers/launch/credential_command.h"
#include "transport/credentials.h"

namespace pi_mcp::servers {

// Runs the command when the first token is wanted, when the token is older than `ttl`, and once
// more when the server refuses it. Simultaneous requests share one run. A token is used beyond its
// time when no new one can be got: the server decides whether it is still good.
class CommandToken final : public transport::Credentials {
 public:
  // `server` is its configured name, for messages.
  CommandToken(io::Executor executor,
               std::string server,
               CredentialCommand command,
               Milliseconds ttl);

  // unavailable: the command failed; cancelled.
  io::Task<Result<std::string>> token() override;
  io::Task<Result<bool>> refused(transport::Refusal refusal) override;

 private:
  struct Run {
    explicit Run(const io::Executor& executor) : ended(executor) {}
    io::Condition ended;
    std::optional<Result<std::string>> result;  // nullopt once it has ended: cancelled
  };
  io::Task<Result<std::string>> run();
  io::Task<Result<std::string>> run_alone();

  io::Executor executor_;
  std::string server_;
  CredentialCommand command_;
  Milliseconds ttl_;
  std::string token_;  // the newest; empty: none yet
  TimePoint good_until_;
  std::shared_ptr<Run> run_;  // under way
};

}  // namespace pi_mcp::servers
