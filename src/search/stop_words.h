// English words that say little or nothing about what somebody is looking for. Pure.
#pragma once

#include <string_view>

namespace pi_mcp::search {

// "the", "of", "please": never a reason to find a document.
[[nodiscard]] bool is_stop_word(std::string_view word);
// "hello", "wondering", "find": says less than other words of a sentence.
[[nodiscard]] bool is_polite_word(std::string_view word);

}  // namespace pi_mcp::search
