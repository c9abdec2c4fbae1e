// Unguessable names and tokens from the kernel's generator.
#pragma once

#include <cstddef>
#include <string>

namespace pi_mcp::io {

// `bytes` random bytes (at most 64) as twice as many lower-case hexadecimal digits.
std::string random_hex(std::size_t bytes);

}  // namespace pi_mcp::io
