// The tables of words in src/search/data, without their comments, which say what they hold. Pure.
#pragma once

#include <string_view>

namespace pi_mcp::search {

extern const std::string_view stop_words;
extern const std::string_view polite_words;
extern const std::string_view synonym_table;
extern const std::string_view translation_table;

}  // namespace pi_mcp::search
