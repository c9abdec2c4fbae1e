// Words that a model has written for tools, so that search finds them by what people say
// (docs/search.md): which of them are taken, and the text of the file that keeps them. Kept by
// digest of the tool, so that they outlive its entry in the metadata cache. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/tool.h"
#include "json/document.h"

namespace pi_mcp::catalog {

// A keyword is a word or a short phrase; what is longer is not taken, what is more is left out.
constexpr std::size_t keywords_per_tool_max = 8;
constexpr std::size_t keyword_words_max = 3;
constexpr std::size_t keyword_bytes_max = 40;
// Tools in the file; those written longest ago make room.
constexpr std::size_t keyword_tools_max = 10'000;

// By tool_digest().
using Keywords = std::map<std::string, std::vector<std::string>, std::less<>>;

// 32 hexadecimal digits over the server's own name of the tool, its title and its description. The
// schema has no part in it: live and cached it may have different white space.
std::string tool_digest(const CatalogTool& tool);

// The keywords among the elements of an array, in lower case, each once; everything else is left
// out: what has other characters than letters, digits, spaces and "-'+.#" in it, or is too long.
std::vector<std::string> keywords_in(json::Value list);

// What such a file has; nothing for a text that is none, whatever it is.
Keywords read_keywords(std::string_view text);
// `old_text` (empty: there is no file) with these as well, the newest last. invalid_argument: it is
// damaged or of a newer version, and stays as it is, because what a model wrote was paid for.
Result<std::string> with_keywords(std::string_view old_text, const Keywords& added);

}  // namespace pi_mcp::catalog
