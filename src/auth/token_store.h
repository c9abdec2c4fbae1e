// Where credentials are kept: one file a server, readable by its user alone, under a lock that
// processes take in turns (docs/decisions/0007-token-store.md).
#pragma once

#include <optional>
#include <string>

#include "auth/credentials.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_lock.h"
#include "io/task.h"

namespace pi_mcp::auth {

// <agentDir>/mcp-credentials/<hash>.json, 0600 in a 0700 folder. The name is a hash of the server's
// name and url: no name can lead out of the folder, and a server whose url changes starts anew.
class TokenStore {
 public:
  // `agent_dir` is absolute.
  TokenStore(const std::string& agent_dir, const std::string& server, std::string url);

  // nullopt: none for this server. A file that cannot be understood counts as none.
  [[nodiscard]] Result<std::optional<Credentials>> read() const;
  // While holding the lock.
  [[nodiscard]] Result<void> write(const Credentials& credentials) const;
  // Also the adapter's file. True when there was one. While holding the lock.
  [[nodiscard]] Result<bool> remove() const;

  // Whoever changes the file holds this; also while a refresh token is redeemed, which works once.
  [[nodiscard]] io::Task<Result<io::FileLock>> lock(Milliseconds wait_max) const;

  // The tokens that the Pi MCP Adapter's first versions kept under the server's name; never
  // written. nullopt: none, or the name is not one that a folder can have.
  [[nodiscard]] std::optional<Tokens> adapter_tokens() const;

 private:
  std::string url_;
  std::string path_;
  std::string adapter_path_;  // empty: none
};

}  // namespace pi_mcp::auth
