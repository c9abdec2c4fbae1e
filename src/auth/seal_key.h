// The key of encrypted logins: from a variable, a file the user names, or the desktop's keyring.
#pragma once

#include <string>

#include "auth/access.h"
#include "auth/keyring.h"
#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::auth {

// Where one server's logins get their key from, in this order:
// PI_MCP_ADAPTER_OAUTH_FILE_KEY (as the Pi MCP Adapter calls it), the file of oauthKeyFile, the
// keyring. The first that is configured counts: a key that cannot be read is an error.
class SealKey {
 public:
  SealKey(const Access& access, Keyring keyring);

  enum class Missing : std::uint8_t { is_made, is_an_error };
  // `missing`: whether the keyring gets a new key when it has none. unavailable names both ways to
  // give one.
  [[nodiscard]] io::Task<Result<std::string>> get(Missing missing) const;

 private:
  [[nodiscard]] io::Task<Result<std::string>> of_keyring(Missing missing) const;

  std::string text_;  // the variable's value
  std::string file_;
  Keyring keyring_;
  std::string keyring_name_;
};

}  // namespace pi_mcp::auth
