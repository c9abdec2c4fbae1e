#include "base/base64.h"

#include <nettle/base64.h>

#include <cstdint>

namespace pi_mcp {

std::optional<std::string> base64_decoded(std::string_view text) {
  base64_decode_ctx context{};
  base64_decode_init(&context);
  std::string bytes(BASE64_DECODE_LENGTH(text.size()), '\0');
  std::size_t length = 0;
  // nettle takes unsigned bytes; char and uint8_t may alias.
  const int ok = base64_decode_update(
      &context, &length, reinterpret_cast<std::uint8_t*>(bytes.data()), text.size(), text.data());
  if (ok == 0 || base64_decode_final(&context) == 0) {
    return std::nullopt;
  }
  bytes.resize(length);
  return bytes;
}

std::string base64_encoded(std::string_view bytes) {
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), '\0');
  base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return text;
}

std::string base64url_encoded(std::string_view bytes) {
  std::string text = base64_encoded(bytes);
  while (text.ends_with('=')) {
    text.pop_back();
  }
  for (char& c : text) {
    c = c == '+' ? '-' : (c == '/' ? '_' : c);
  }
  return text;
}

std::optional<std::string> base64url_decoded(std::string_view text) {
  constexpr std::size_t group = 4;
  std::string padded(text);
  for (char& c : padded) {
    c = c == '-' ? '+' : (c == '_' ? '/' : c);
  }
  padded.append((group - padded.size() % group) % group, '=');
  std::optional<std::string> bytes = base64_decoded(padded);
  return bytes && base64url_encoded(*bytes) == text ? bytes : std::nullopt;
}

}  // namespace pi_mcp
