// Secrets that the user has stored under names of their own, for ${keyring:NAME}: in the desktop's
// keyring or, only where the user says so, in a file for them alone
// (docs/decisions/0045-stored-secrets.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "auth/access.h"
#include "auth/keyring.h"
#include "auth/seal_key.h"
#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::auth {

constexpr std::size_t secret_bytes_max = std::size_t{64} << 10U;

enum class SecretPlace : std::uint8_t { keyring, file };

// <agentDir>/mcp-secrets.json, 0600: {"version":1,"secrets":{NAME:{"value":...}}}, or "sealed" in
// the place of "value" where logins are encrypted (auth/sealed.h). What the file has counts; the
// keyring is asked about the rest. All: io, the file cannot be read or written, or others may read
// it; invalid_argument, it is damaged (then it stays as it is); cancelled.
class SecretStore {
 public:
  // Of `access` those members that say where logins are stored.
  explicit SecretStore(const Access& access);

  // nullopt: there is none. unavailable: the file has none, and the keyring cannot be asked, or
  // there is no key for what the file has.
  [[nodiscard]] io::Task<Result<std::optional<std::string>>> find(std::string name) const;
  // Replaces the one that is there, wherever it lies. unavailable: the keyring does not take it, or
  // there is no key to seal it with; then nothing has changed.
  [[nodiscard]] io::Task<Result<void>> keep(std::string name,
                                            std::string secret,
                                            SecretPlace place) const;
  // False: there was none. unavailable: the file had none, and the keyring cannot be asked.
  [[nodiscard]] io::Task<Result<bool>> remove(std::string name) const;

  // Without their values; sorted.
  [[nodiscard]] Result<std::vector<std::string>> names_in_file() const;
  // unavailable: it cannot be asked.
  [[nodiscard]] io::Task<Result<std::vector<std::string>>> names_in_keyring() const;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  // As JSON; empty: none.
  [[nodiscard]] Result<std::string> entry(const std::string& name) const;
  [[nodiscard]] io::Task<Result<std::string>> entry_of(std::string name, std::string secret) const;
  // `entry` empty: removes it. False: there was nothing to remove.
  [[nodiscard]] Result<bool> write_entry(const std::string& name, const std::string& entry) const;

  std::string path_;
  Keyring keyring_;
  bool sealed_ = false;
  SealKey seal_key_;
};

}  // namespace pi_mcp::auth
