#include "io/loop/random.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/log.h"

namespace pi_mcp::io {

namespace {

// At most 256 bytes (getentropy(3)).
void fill(void* space, std::size_t bytes) {
  if (::getentropy(space, bytes) != 0) {
    log::error("the kernel gives no random numbers");
    std::abort();
  }
}

}  // namespace

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 64> raw{};
  const std::size_t count = std::min(bytes, raw.size());
  fill(raw.data(), count);
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < count; ++i) {
    hex += digits[raw[i] >> 4U];
    hex += digits[raw[i] & 15U];
  }
  return hex;
}

double random_fraction() {
  std::uint32_t number = 0;
  fill(&number, sizeof(number));
  return static_cast<double>(number) / (static_cast<double>(UINT32_MAX) + 1);
}

}  // namespace pi_mcp::io
