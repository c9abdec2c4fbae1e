// Access tokens as JSON Web Tokens (RFC 7519, RFC 9068): what one says of itself. None of it is to
// be believed before its signature was checked (signature.h). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "base/time.h"

namespace pi_mcp::access {

constexpr std::size_t jwt_bytes_max = std::size_t{16} << 10U;
// Clocks of different machines.
constexpr Milliseconds clock_skew{60'000};

// Why a token lets nobody in.
enum class TokenFault : std::uint8_t {
  too_long,
  malformed,  // no JWT
  algorithm,  // none, one with a shared secret, or one that is not known here
  type,       // made for something else than access
  critical,   // wants something to be understood that is not
  bound,      // good only together with a key of the client, which is not checked here
  claims,     // one that has to be there is not, or is of a wrong type
  issuer,     // of nobody who is trusted
  audience,   // for somebody else
  expired,
  early,         // not good yet
  key,           // its issuer has no such key
  unfit_key,     // it has, for another algorithm
  several_keys,  // names none, and more than one would fit
  signature,
  scope,          // good, but gives nothing here
  no_keys,        // those of its issuer cannot be had at the moment
  keys_under_way  // and are being fetched
};
// For people and for error_description of RFC 6750: printable ASCII without quotation marks, no
// full stop.
[[nodiscard]] std::string_view fault_text(TokenFault fault);

enum class KeyKind : std::uint8_t { rsa, p256, p384 };

struct Algorithm {
  std::string_view name;
  KeyKind kind;
  std::size_t signature_bytes;  // 0: as long as the key
};
// Those that are taken, by name; nullptr: another.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);

struct Jwt {
  const Algorithm* algorithm = nullptr;  // never null in what was read
  std::string key_id;                    // empty: none
  std::string issuer;
  std::string subject;
  std::string client;  // empty: not said
  std::vector<std::string> audiences;
  std::vector<std::string> scopes;
  // Seconds since 1970.
  std::int64_t expires = 0;
  std::optional<std::int64_t> not_before;
  std::optional<std::int64_t> issued;
};

// Three parts with dots between. Whatever has that shape is no token of ours (token_book.h).
[[nodiscard]] bool looks_like_jwt(std::string_view token);
[[nodiscard]] tl::expected<Jwt, TokenFault> read_jwt(std::string_view token);
// nullopt: it is good at this time.
[[nodiscard]] std::optional<TokenFault> wrong_time(const Jwt& token, EpochMs now);

}  // namespace pi_mcp::access
