#include "base/digest.h"

#include <nettle/sha2.h>

#include <array>
#include <cstdint>
#include <span>

namespace pi_mcp {
namespace {

std::string hex(std::span<const std::uint8_t> digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(digest.size() * 2);
  for (const std::uint8_t byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 0xFU];
  }
  return text;
}

// nettle takes unsigned bytes; char and uint8_t may alias.
const std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  sha256_ctx context{};
  sha256_init(&context);
  sha256_update(&context, text.size(), bytes(text));
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  return hex(digest);
}

std::string sha512_hex(std::string_view text) {
  sha512_ctx context{};
  sha512_init(&context);
  sha512_update(&context, text.size(), bytes(text));
  std::array<std::uint8_t, SHA512_DIGEST_SIZE> digest{};
  sha512_digest(&context, digest.size(), digest.data());
  return hex(digest);
}

}  // namespace pi_mcp
