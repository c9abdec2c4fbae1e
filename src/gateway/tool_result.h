// What the `mcp` tool answers, before it is written for a host or a terminal. Pure data.
#pragma once

#include <cstdint>
#include <string>

#include "base/shared_text.h"

namespace pi_mcp::gateway {

// The place of "_meta" in a CallToolResult.
struct MetaSlot {
  enum class Kind : std::uint8_t {
    new_member,    // there is none: `offset` is behind the opening brace, other members follow
    end_of_empty,  // there is an empty one: `offset` is at its closing brace
    end,           // there is one with members: `offset` is at its closing brace
    in_place_of,   // there is one that is no object: `length` bytes at `offset` are replaced
  };
  Kind kind = Kind::new_member;
  std::size_t offset = 1;
  std::size_t length = 0;
};

struct ToolResult {
  // Our own text; one text block upward. Used when `passed` is empty.
  std::string text;
  // A CallToolResult (JSON object) of a server, as it arrived or as the output guard rewrote it.
  SharedText passed;
  // Where our details go into `passed`, found while its JSON was parsed anyway.
  MetaSlot meta_slot;
  bool is_error = false;
  // The details object of compat.md section 2, JSON; goes to _meta["pi-mcp/details"].
  std::string details = "{}";
  // Why it failed, for the exit status of the shell; meaningful when is_error.
  enum class Failure {
    none,
    tool_error,
    usage,
    not_found,
    unavailable,
    unauthorized,
    timed_out,
    cancelled
  };
  Failure failure = Failure::none;
};

}  // namespace pi_mcp::gateway
