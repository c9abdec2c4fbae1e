// Base64 (RFC 4648), by nettle. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp {

// White space is skipped. nullopt for anything else that is not base64, and for missing padding.
std::optional<std::string> base64_decoded(std::string_view text);

// One line, with padding.
std::string base64_encoded(std::string_view bytes);

// Section 5, without padding: safe in URLs, as PKCE and JWT want it.
std::string base64url_encoded(std::string_view bytes);

// What base64url_encoded() gives, and nothing else: no padding, no white space, one text for each
// bytes.
std::optional<std::string> base64url_decoded(std::string_view text);

}  // namespace pi_mcp
