// "1 tool", "12 tools". Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pi_mcp::text {

// `noun` is the singular of one that gets an s.
inline std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace pi_mcp::text
