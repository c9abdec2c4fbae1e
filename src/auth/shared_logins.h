// Logins that several processes without a common disk have together, and the turns in which they
// renew them (docs/decisions/0084-logins-of-replicas.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "auth/credentials.h"
#include "auth/waiting_login.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"

namespace pi_mcp::auth {

// Whose login it is, and where.
struct LoginName {
  std::string principal;  // empty: the user's
  std::string server;
  std::string url;
};

class SharedLogins {
 public:
  SharedLogins() = default;
  SharedLogins(const SharedLogins&) = delete;
  SharedLogins& operator=(const SharedLogins&) = delete;
  virtual ~SharedLogins() = default;

  // The newest one that all have, with its secrets; without tokens: nobody is logged in any more.
  // nullopt: there never was one. unavailable: they cannot be asked for, and what to do; protocol:
  // what is there in its place is none, and what to do; cancelled.
  virtual io::Task<Result<std::optional<Credentials>>> read(LoginName name) = 0;
  // As this process has seen it last, whether or not the others can be asked.
  [[nodiscard]] virtual std::optional<Credentials> remembered(const LoginName& name) const = 0;
  // Replaces it, unless a newer one is there by now (is_newer()). Where the others cannot be told,
  // it counts here, and they are told as soon as that is possible. cancelled.
  virtual io::Task<Result<void>> write(LoginName name, Credentials credentials) = 0;

  // A login that waits for a person, so that it can go on elsewhere; for ten minutes. nullopt: it
  // does not wait any more. unavailable, cancelled.
  virtual io::Task<Result<void>> note_waiting(LoginName name,
                                              std::optional<WaitingLogin> waiting) = 0;
  // nullopt: none waits. unavailable, cancelled.
  virtual io::Task<Result<std::optional<WaitingLogin>>> waiting(LoginName name) = 0;

  // Held while it lives; others get it soon after this process has died.
  class Turn {
   public:
    Turn() = default;
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    virtual ~Turn() = default;
  };
  // Whoever redeems a refresh token has the turn. timed_out: somebody else had it all the time;
  // unavailable: it cannot be asked for; cancelled.
  virtual io::Task<Result<std::unique_ptr<Turn>>> take_turn(LoginName name,
                                                            Milliseconds wait_max) = 0;
};

}  // namespace pi_mcp::auth
