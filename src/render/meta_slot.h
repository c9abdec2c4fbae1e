// Where something can be added to a result that passes through as it is. Pure data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pi_mcp::render {

// The place of "_meta" in a CallToolResult.
struct MetaSlot {
  enum class Kind : std::uint8_t {
    new_member,    // there is none: `offset` is behind the opening brace, other members follow
    end_of_empty,  // there is an empty one: `offset` is at its closing brace
    end,           // there is one with members: `offset` is at its closing brace
    in_place_of,   // there is one that is not an object: `length` bytes at `offset` are replaced
  };
  Kind kind = Kind::new_member;
  std::size_t offset = 1;
  std::size_t length = 0;
};

}  // namespace pi_mcp::render
