// Where a text is not JSON, for programs that show it. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "json/document.h"

namespace pi_mcp::json {

// Both from 1; 0 where a failure has no place.
struct Position {
  std::size_t line = 0;
  std::size_t column = 0;
};

// Where Document::parse() fails, with the same options.
Position failure_position(std::string_view text, ParseOptions options);

}  // namespace pi_mcp::json
