// Numbers in sentences: "1 tool", "12 tools", "3 h". Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pi_mcp::text {

// `noun` is the singular of one that gets an s.
inline std::string count_text(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

// "40 s", "5 min", "3 h", "2 d".
inline std::string age_text(std::int64_t seconds) {
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t hour = 60 * minute;
  constexpr std::int64_t day = 24 * hour;
  if (seconds < minute) {
    return std::to_string(seconds) + " s";
  }
  if (seconds < hour) {
    return std::to_string(seconds / minute) + " min";
  }
  return seconds < 2 * day ? std::to_string(seconds / hour) + " h"
                           : std::to_string(seconds / day) + " d";
}

}  // namespace pi_mcp::text
