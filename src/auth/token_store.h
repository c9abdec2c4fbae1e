// Where credentials are stored: one file a server, readable by its user alone, under a lock that
// processes take in turns; their secrets are in it, or in the keyring, and the file says where
// (docs/decisions/0007-token-store.md). Of replicas, what they have in common counts, and the file
// is where a login can come from (docs/decisions/0084-logins-of-replicas.md).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "auth/access.h"
#include "auth/credentials.h"
#include "auth/keyring.h"
#include "auth/seal_key.h"
#include "auth/shared_logins.h"
#include "base/result.h"
#include "base/time.h"
#include "io/files/file_lock.h"
#include "io/loop/task.h"

namespace pi_mcp::auth {

// The folder of the records: <agentDir>/mcp-credentials; of a principal the same in its own folder
// (config/identity.h).
[[nodiscard]] std::string logins_dir(const Access& access);

// Held while it lives; see TokenStore::lock().
struct LoginLock {
  std::optional<io::FileLock> file;
  std::unique_ptr<SharedLogins::Turn> turn;  // null: there are no replicas
};

// <hash>.json there, 0600 in a 0700 folder. The name is a hash of the server's name and url: no
// name can lead out of the folder, and a server whose url changes starts anew.
class TokenStore {
 public:
  explicit TokenStore(const Access& access);

  // nullopt: none for this server. A file that cannot be understood counts as none. unavailable:
  // the secrets are in a keyring that cannot be read, or replicas have it together and cannot be
  // asked; and what to do. protocol: see SharedLogins::read().
  [[nodiscard]] io::Task<Result<std::optional<Credentials>>> read() const;
  // What the file has, without asking the keyring: secrets in it are empty.
  [[nodiscard]] Result<std::optional<Credentials>> record() const;
  // record(), or what replicas have together.
  [[nodiscard]] io::Task<Result<std::optional<Credentials>>> look() const;
  [[nodiscard]] LoginName name() const {
    return {.principal = principal_, .server = server_, .url = url_};
  }
  [[nodiscard]] bool is_shared() const { return shared_ != nullptr; }
  // See SharedLogins::remembered(); nullopt where there are no replicas.
  [[nodiscard]] std::optional<Credentials> remembered() const;

  // Before a person is asked to log in. unavailable: the login could not be stored as configured,
  // and what to do.
  [[nodiscard]] io::Task<Result<void>> check() const;

  // The next four need the lock.

  // After a login: secrets go to the keyring where that is wanted and possible, else to the file;
  // sealed where that is wanted, or nowhere (unavailable).
  [[nodiscard]] io::Task<Result<void>> write_login(Credentials credentials) const;
  // Secrets go where they were read from; into the file when the keyring cannot store them, because
  // old tokens are worthless once new ones were issued. Those of a plain file are sealed now
  // where that is wanted; without a key they stay as they are, with a warning.
  [[nodiscard]] io::Task<Result<void>> write(Credentials credentials) const;
  // Writes a changed record() or read(), whose secrets are as they were.
  [[nodiscard]] Result<void> write_record(const Credentials& credentials) const;
  // The same of a changed look().
  [[nodiscard]] io::Task<Result<void>> write_look(Credentials credentials) const;
  // Removes the adapter's file, too. True when there was one. unavailable: the keyring still has
  // the secrets; nothing is removed then. Replicas are told that nobody is logged in.
  [[nodiscard]] io::Task<Result<bool>> remove() const;

  // Whoever changes the file holds this; also while a refresh token is redeemed, which works once.
  // unavailable: replicas take turns, and cannot ask whose turn it is.
  [[nodiscard]] io::Task<Result<LoginLock>> lock(Milliseconds wait_max) const;

  // The tokens that the Pi MCP Adapter's first versions stored under the server's name; never
  // written. nullopt: none, or the name is not one that a folder can have.
  [[nodiscard]] std::optional<Tokens> adapter_tokens() const;

 private:
  [[nodiscard]] io::Task<Result<std::optional<Credentials>>> read_own() const;
  [[nodiscard]] io::Task<Result<std::optional<Credentials>>> read_shared() const;
  [[nodiscard]] io::Task<Result<void>> write_own_login(Credentials credentials) const;
  [[nodiscard]] io::Task<Result<void>> write_own(Credentials credentials) const;
  [[nodiscard]] io::Task<Result<void>> write_shared(Credentials credentials) const;
  [[nodiscard]] io::Task<Result<bool>> remove_own() const;
  [[nodiscard]] io::Task<Result<void>> seal_secrets(Credentials* credentials,
                                                    SealKey::Missing missing) const;
  [[nodiscard]] io::Task<void> drop_older() const;
  [[nodiscard]] io::Task<Result<std::optional<Credentials>>> unsealed(Credentials sealed) const;
  [[nodiscard]] Result<bool> remove_files() const;

  std::string principal_;
  std::string server_;
  std::string url_;
  SharedLogins* shared_;  // null: there are no replicas
  std::string path_;
  std::string adapter_path_;  // empty: none
  Keyring keyring_;
  std::string keyring_name_;
  bool new_in_keyring_ = false;
  bool new_sealed_ = false;
  SealKey seal_key_;
  std::string seal_context_;  // of this record, wherever its folder is
  // How the user logs in again; null where the login is not the user's.
  std::shared_ptr<const Remedy> log_in_;
  mutable std::string
      sealed_with_;  // the key that opened it: a renewal is not lost with the keyring
};

// All logins of whom `access` names (principal), of whatever server, with what of them is in the
// keyring. Authorization servers are not told. Once cancelled it stops; what is left is whole.
io::Task<void> remove_logins(Access access);

}  // namespace pi_mcp::auth
