#include "io/loop/random.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/log.h"

namespace pi_mcp::io {

namespace {

constexpr std::size_t bytes_max = 64;

// At most 256 bytes (getentropy(3)).
void fill(void* space, std::size_t bytes) {
  if (::getentropy(space, bytes) != 0) {
    log::error("the kernel gives no random numbers");
    std::abort();
  }
}

}  // namespace

std::string random_bytes(std::size_t bytes) {
  std::string raw(std::min(bytes, bytes_max), '\0');
  fill(raw.data(), raw.size());
  return raw;
}

std::string random_hex(std::size_t bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (const char c : random_bytes(bytes)) {
    const auto byte = static_cast<unsigned char>(c);
    hex += digits[byte >> 4U];
    hex += digits[byte & 15U];
  }
  return hex;
}

double random_fraction() {
  std::uint32_t number = 0;
  fill(&number, sizeof(number));
  return static_cast<double>(number) / (static_cast<double>(UINT32_MAX) + 1);
}

}  // namespace pi_mcp::io
