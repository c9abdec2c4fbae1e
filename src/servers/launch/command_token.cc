#include "servers/launch/command_token.h"

#include <utility>

#include "base/log.h"
#include "http/message.h"
#include "io/loop/clock.h"

namespace pi_mcp::servers {

CommandToken::CommandToken(io::Executor executor,
                           std::string server,
                           CredentialCommand command,
                           Milliseconds ttl)
    : executor_(std::move(executor)),
      server_(std::move(server)),
      command_(std::move(command)),
      ttl_(ttl) {}

io::Task<Result<std::string>> CommandToken::token() {
  if (!token_.empty() && io::now() < good_until_) {
    co_return token_;
  }
  const std::string old = token_;
  Result<std::string> fresh = co_await run();
  if (!fresh && !old.empty() && fresh.error().code() != ErrorCode::cancelled) {
    log::info(fresh.error().message() + "; its last token is used");
    co_return old;
  }
  co_return fresh;
}

io::Task<Result<bool>> CommandToken::refused(transport::Refusal refusal) {
  constexpr int unauthorized = 401;
  if (refusal.status != unauthorized) {
    co_return false;
  }
  if (refusal.attempt == 0) {
    if (refusal.token != token_) {
      co_return true;  // somebody else has got a new one meanwhile
    }
    const Result<std::string> fresh = co_await run();
    if (!fresh) {
      co_return fail(fresh.error());
    }
    if (*fresh != refusal.token) {
      co_return true;
    }
  }
  co_return fail(ErrorCode::unauthorized,
                 "server " + server_ +
                     " refuses the token that the command of bearerToken prints (status 401); "
                     "run the command in a shell to see whether its token is the right one");
}

// One run at a time, for all who wait. When it is cancelled, one of them goes on.
io::Task<Result<std::string>> CommandToken::run() {
  while (const std::shared_ptr<Run> shared = run_) {
    const io::Wake wake = co_await shared->ended.wait();  // bounded by the command's own time
    if (wake == io::Wake::cancelled) {
      co_return fail(ErrorCode::cancelled, "cancelled");
    }
    const std::optional<Result<std::string>> result = shared->result;
    if (result) {
      co_return *result;
    }
  }
  const auto own = std::make_shared<Run>(executor_);
  run_ = own;
  Result<std::string> fresh = co_await run_alone();
  run_.reset();
  if (fresh || fresh.error().code() != ErrorCode::cancelled) {
    own->result = fresh;
  }
  own->ended.notify_all();
  co_return fresh;
}

io::Task<Result<std::string>> CommandToken::run_alone() {
  CredentialRun how;
  how.what = "server " + server_ + ": the command of bearerToken";
  how.slow_advice = "; run it in a shell to see what it waits for";
  const std::string what = how.what;
  Result<std::string> printed = co_await credential_output(command_, std::move(how));
  if (!printed) {
    co_return printed;
  }
  if (!http::is_valid({.name = "Authorization", .value = *printed})) {
    co_return fail(ErrorCode::unavailable,
                   what + " printed more than one line; it must print the token alone");
  }
  token_ = *printed;
  good_until_ = io::now() + ttl_;
  co_return printed;
}

}  // namespace pi_mcp::servers
