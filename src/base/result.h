// Result<T>: a value or an Error. How every function here reports a failure its caller can act on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>  // IWYU pragma: export

#include "base/remedy.h"

namespace pi_mcp {

// What the caller can do about it, not where it happened. Add a code only when some caller would
// branch on it.
enum class ErrorCode {
  invalid_argument,  // the caller's input; retrying the same call cannot help
  not_found,
  unavailable,  // the peer is down or still starting; retry later
  timed_out,
  cancelled,     // we or the peer asked for it to stop; never logged as a failure
  protocol,      // the peer broke JSON-RPC or MCP, or answered with a protocol error
  unauthorized,  // the peer wants credentials that we do not have
  io,            // the operating system refused
};

// Has a constructor on purpose: GCC 12 destroys aggregate temporaries twice in co_await expressions
// (docs/toolchain.md).
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }

  // Lower case, no full stop: the thing, the reason and, where there is one, the next step.
  [[nodiscard]] const std::string& message() const { return message_; }
  // What people do about it where that is a command, which is then not in the message; else null.
  [[nodiscard]] std::shared_ptr<const Remedy> remedy() const { return remedy_; }

  [[nodiscard]] Error with(Remedy remedy) && {
    remedy_ = std::make_shared<const Remedy>(std::move(remedy));
    return std::move(*this);
  }
  [[nodiscard]] Error with(std::shared_ptr<const Remedy> remedy) && {
    remedy_ = std::move(remedy);
    return std::move(*this);
  }

  // This error in other words.
  [[nodiscard]] Error saying(std::string message) const {
    return Error(code_, std::move(message)).with(remedy_);
  }

  // This error seen from one level up: "<what we were doing>: <what went wrong>".
  [[nodiscard]] Error while_doing(std::string_view what) && {
    return saying(std::string(what) + ": " + message_);
  }

 private:
  ErrorCode code_;
  std::string message_;
  std::shared_ptr<const Remedy> remedy_;
};

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

// Shorthand for `return fail(ErrorCode::not_found, "...")`.
inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace pi_mcp
