// The keyring of the user's desktop (freedesktop.org Secret Service), asked over the session's
// message bus. Each call blocks and lasts as long as the service likes: for a process of its own
// that can be killed (docs/decisions/0007-token-store.md). None asks the user for anything: a
// keyring that is locked stays locked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace pi_mcp::io {

// login: tokens that this program got. named: what the user has stored, for people to see: labelled
// "pi-mcp secret NAME", with "service" and "username" as keyring libraries file them.
enum class SecretKind : std::uint8_t { login, named };

// Secrets are filed under a name that is not secret itself. unavailable, with the reason: the
// bus or the service is missing, or the keyring is locked.

// nullopt: none has this name.
Result<std::optional<std::string>> find_secret(SecretKind kind, const std::string& name);
// Of named ones, those of a locked keyring included; in no order.
Result<std::vector<std::string>> secret_names();
// A secret of another program, filed under "service" and "username" as keyring libraries do. Only
// read.
Result<std::optional<std::string>> find_foreign_secret(const std::string& service,
                                                       const std::string& user);
// Replaces the one that is there.
Result<void> keep_secret(SecretKind kind, const std::string& name, const std::string& secret);
// False: there was none.
Result<bool> drop_secret(SecretKind kind, const std::string& name);

}  // namespace pi_mcp::io
