#include "base/digest.h"

#include <nettle/memops.h>
#include <nettle/sha2.h>

#include <cstdint>

namespace pi_mcp {
namespace {

std::string hex(std::string_view digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(digest.size() * 2);
  for (const char c : digest) {
    const auto byte = static_cast<std::uint8_t>(c);
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

std::string sha256(std::string_view text) {
  sha256_ctx context{};
  sha256_init(&context);
  sha256_update(&context, text.size(), bytes(text));
  std::string digest(SHA256_DIGEST_SIZE, '\0');
  sha256_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return digest;
}

std::string sha256_hex(std::string_view text) {
  return hex(sha256(text));
}

std::string sha512_hex(std::string_view text) {
  sha512_ctx context{};
  sha512_init(&context);
  sha512_update(&context, text.size(), bytes(text));
  std::string digest(SHA512_DIGEST_SIZE, '\0');
  sha512_digest(&context, digest.size(), reinterpret_cast<std::uint8_t*>(digest.data()));
  return hex(digest);
}

bool is_same_digest(std::string_view one, std::string_view other) {
  return one.size() == other.size() && memeql_sec(one.data(), other.data(), one.size()) != 0;
}

}  // namespace pi_mcp
