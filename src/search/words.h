// How texts and queries are cut into tokens, so that "getUserByID", "get_user_by_id" and "get user
// by id" are the same four words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::search {

// A space between a lower-case ASCII letter or digit and an upper-case one, runs of _ . / : - to
// one space, then lower case. Invalid UTF-8 becomes U+FFFD.
std::string normalise(std::string_view text);

// The tokens of a normalised text: runs of ASCII letters and digits; runs of other letters, digits
// and marks as overlapping pairs of characters, because scripts without spaces have no words to
// split at. A single character, and a run longer than `paired_run_max`, is one token.
std::vector<std::string> tokens(std::string_view text);

constexpr std::size_t paired_run_max = 65;

}  // namespace pi_mcp::search
