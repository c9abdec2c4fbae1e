// The text of JSON strings: escapes decoded, all at once or piece by piece, so that nobody has to
// hold a long one twice. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "json/document.h"

namespace pi_mcp::json {

// Adds the decoded form of the inside of a JSON string (what stands between the quotes).
void append_decoded(std::string& out, std::string_view escaped);

using TextSink = std::function<void(std::string_view)>;

// Gives `sink` the decoded text of a string, in order, in pieces of about `piece_bytes` that never
// end inside a character. Nothing for a value that is not a string, and for the empty one.
void for_each_piece(Value text, const TextSink& sink, std::size_t piece_bytes = 65'536);

}  // namespace pi_mcp::json
