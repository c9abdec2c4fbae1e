// Digests of a text (FIPS 180-4), by nettle, most of them as lower-case hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

namespace pi_mcp {

// The 32 bytes themselves.
std::string sha256(std::string_view text);
// 64 digits.
std::string sha256_hex(std::string_view text);
// 128 digits.
std::string sha512_hex(std::string_view text);

// Takes the same time wherever two digests of the same length differ.
[[nodiscard]] bool is_same_digest(std::string_view one, std::string_view other);

}  // namespace pi_mcp
