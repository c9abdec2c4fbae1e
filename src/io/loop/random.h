// Unguessable names and tokens, and chance, from the kernel's generator.
#pragma once

#include <cstddef>
#include <string>

namespace pi_mcp::io {

// `bytes` random bytes (at most 64) as twice as many lower-case hexadecimal digits.
std::string random_hex(std::size_t bytes);
// The same as they are; at most 64.
std::string random_bytes(std::size_t bytes);

// A number in [0, 1).
double random_fraction();

}  // namespace pi_mcp::io
