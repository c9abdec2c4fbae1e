// Secrets in a file that only a key opens: AES-256-GCM (NIST SP 800-38D) in a text that says which
// version it is and which key it wants.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pi_mcp::auth {

constexpr std::size_t seal_key_bytes = 32;

// A key as people and programs write it: base64 of 32 bytes, or 64 hexadecimal digits. nullopt: it
// is neither.
std::optional<std::string> parse_seal_key(std::string_view text);

// One line without spaces: version, name of the key, nonce, text. `context` says what the secrets
// belong to: with a different one they cannot be opened. A new nonce each time. io: the
// kernel or OpenSSL refused.
Result<std::string> seal(std::string_view key, std::string_view context, std::string_view text);

// invalid_argument: a different version, key or context, or a changed text. Nothing
// of the text is repeated.
Result<std::string> unseal(std::string_view key, std::string_view context, std::string_view sealed);

}  // namespace pi_mcp::auth
