// The keyring of the user's desktop, asked by a short-lived process of this program: an answer
// takes as long as a service or a dialog likes, and a process can be killed
// (docs/decisions/0007-token-store.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/task.h"
#include "io/net/secret_service.h"

namespace pi_mcp::auth {

// One question, its process included.
constexpr Milliseconds keyring_max{2'000};

class Keyring {
 public:
  using Kind = io::SecretKind;

  // A keyring that is not there.
  Keyring() = default;
  // `variables` of the session say where its message bus is; where a host has kept them back, it is
  // the user's own below `run_folder`. `program`: this one.
  Keyring(const std::map<std::string, std::string>& variables,
          std::string program,
          const std::string& run_folder = "/run/user");

  // False without a message bus: then nothing is started, and every question fails.
  [[nodiscard]] bool has_bus() const { return !environment_.empty(); }

  // `name` is not a secret. unavailable: there is no keyring, it is locked, or it did not answer
  // within keyring_max; then keep() may still have stored it. cancelled.
  [[nodiscard]] io::Task<Result<std::optional<std::string>>> find(std::string name,
                                                                  Kind kind = Kind::login) const;
  [[nodiscard]] io::Task<Result<void>> keep(std::string name,
                                            std::string secret,
                                            Kind kind = Kind::login) const;
  // A secret of another program: see io::find_foreign_secret().
  [[nodiscard]] io::Task<Result<std::optional<std::string>>> find_foreign(std::string service,
                                                                          std::string user) const;
  // False: there was none.
  [[nodiscard]] io::Task<Result<bool>> drop(std::string name, Kind kind = Kind::login) const;

  // Of secrets that the user has stored, in no order.
  [[nodiscard]] io::Task<Result<std::vector<std::string>>> names() const;

 private:
  // What it answers; nullopt: there is no such secret.
  [[nodiscard]] io::Task<Result<std::optional<std::string>>> ask(std::vector<std::string> question,
                                                                 std::string secret) const;

  std::map<std::string, std::string> environment_;  // of the process
  std::string program_;
};

}  // namespace pi_mcp::auth
