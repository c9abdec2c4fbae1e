// Environment variables that decide what code a program runs. Pure.
#pragma once

#include <string_view>

namespace pi_mcp::tool {

// What such a variable is about, to stand after "which decides ": "what Node.js loads". Empty: it
// is another variable.
std::string_view decided_by(std::string_view variable);

}  // namespace pi_mcp::tool
