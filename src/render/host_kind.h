// What kind of host a session serves. Decided once, by `serve --host`.
#pragma once

#include <cstdint>

namespace pi_mcp::render {

enum class HostKind : std::uint8_t {
  mcp,  // any MCP host: content types pass unchanged
  pi,   // content reduced to Pi's text and image blocks
};

}  // namespace pi_mcp::render
