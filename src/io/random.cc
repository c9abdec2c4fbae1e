#include "io/random.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/log.h"

namespace pi_mcp::io {

std::string random_hex(std::size_t bytes) {
  std::array<unsigned char, 64> raw{};
  const std::size_t count = std::min(bytes, raw.size());
  // Up to 256 bytes come whole and without waiting once the machine has booted (getrandom(2)).
  if (::getrandom(raw.data(), count, 0) != static_cast<ssize_t>(count)) {
    log::error("the kernel gives no random numbers");
    std::abort();
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (std::size_t i = 0; i < count; ++i) {
    hex += digits[raw[i] >> 4U];
    hex += digits[raw[i] & 15U];
  }
  return hex;
}

}  // namespace pi_mcp::io
