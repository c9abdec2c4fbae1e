// Literals inside a query: what a url, a file name, a date or an amount looks like, and which words
// a tool uses that takes one. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pi_mcp::search {

// What it says about a parameter, and what a file with its ending is: words with spaces between
// them, the best one first. Empty where nothing follows.
using Literal = std::vector<std::string_view>;

// What a piece between spaces is, without punctuation around it; nullopt for an ordinary word.
std::optional<Literal> literal_of(std::string_view piece);

}  // namespace pi_mcp::search
