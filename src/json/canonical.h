// One text for every JSON text that means the same, so that a digest of it can stand for the value.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"

namespace pi_mcp::json {

// No white space, keys sorted by UTF-16 code unit, strings and numbers as JavaScript's
// JSON.stringify writes them (ECMA-262); of equal keys the last one counts.
std::string canonical(Value value);

// Whether two texts are one JSON value, however each is written; of what is no JSON, whether they
// are the same text.
bool is_same_value(std::string_view one, std::string_view other);

}  // namespace pi_mcp::json
