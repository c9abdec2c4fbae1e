// AES-256-GCM (NIST SP 800-38D), by OpenSSL.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp::io {

constexpr std::size_t gcm_key_bytes = 32;
constexpr std::size_t gcm_nonce_bytes = 12;  // what GCM is made for
constexpr std::size_t gcm_tag_bytes = 16;

// Nonce (a new one each time), hidden text, tag. `also` is not in it and has to be the same to open
// it. nullopt: the key has another length, or the kernel or OpenSSL refused.
std::optional<std::string> gcm_sealed(std::string_view key,
                                      std::string_view also,
                                      std::string_view text);

// nullopt: another key or `also`, or changed bytes.
std::optional<std::string> gcm_opened(std::string_view key,
                                      std::string_view also,
                                      std::string_view sealed);

}  // namespace pi_mcp::io
