// What is said of a tools/call that was sent, and ended without its answer.
#pragma once

namespace pi_mcp::mcp {

constexpr const char* unknown_outcome =
    "whether the tool has run is not known. Check, and call it again if it has not";

}  // namespace pi_mcp::mcp
