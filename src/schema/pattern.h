// Patterns of JSON Schema (ECMA-262 regular expressions) through RE2, in linear time whatever a
// server sends. Pure: no I/O, no clock.
#pragma once

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>

namespace pi_mcp::schema {

// The same expression in RE2's spelling, where ECMA-262 and RE2 differ in spelling only: \uXXXX,
// \p{Letter}, and white space beyond ASCII in \s.
std::string re2_spelling(std::string_view pattern);

// Null when RE2 cannot do it (look-around, back references) or it would take too much memory.
std::unique_ptr<const RE2> compile_pattern(std::string_view pattern);

}  // namespace pi_mcp::schema
