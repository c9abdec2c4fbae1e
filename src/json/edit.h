// Changes one member of a JSON text that people write by hand: comments, order, indentation and
// everything else stay as they were. Accepts comments and trailing commas; keeps a byte order mark
// and the file's line ends. Pure: no I/O.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::json {

// Member names from the root object down; never empty.
using MemberPath = std::vector<std::string>;

// All functions: invalid_argument with line and column for a text that is not JSON, and for a path
// that leads through something that is not an object.

// The text with the member at `path` being `raw_json` (one strict JSON value): replaced where it
// stands, or added as the last one. Missing parents are created. A blank text becomes an object.
Result<std::string> set_member(std::string_view text,
                               const MemberPath& path,
                               std::string_view raw_json);

// The text without the member; a comment behind it on its line goes with it. not_found when there
// is none.
Result<std::string> remove_member(std::string_view text, const MemberPath& path);

// The text with `raw_json` as the last element of the array at `path`, created when missing.
// invalid_argument when something else stands there.
Result<std::string> append_element(std::string_view text,
                                   const MemberPath& path,
                                   std::string_view raw_json);

// True when only white space and complete comments are in the text.
[[nodiscard]] bool is_blank(std::string_view jsonc);

}  // namespace pi_mcp::json
