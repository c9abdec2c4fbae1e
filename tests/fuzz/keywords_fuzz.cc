// A model's answer, and the file of keywords as anybody may have left it: what is kept is within
// its bounds, and reads back as it was written.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "catalog/keywords.h"
#include "registry/keyword_requests.h"

namespace {

using pi_mcp::catalog::Keywords;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check(const Keywords& keywords) {
  for (const auto& [digest, words] : keywords) {
    require(!words.empty() && words.size() <= pi_mcp::catalog::keywords_per_tool_max);
    for (const auto& word : words) {
      require(!word.empty() && word.size() <= pi_mcp::catalog::keyword_bytes_max);
      require(word.find_first_of("\n{}<>\"\\/:") == std::string_view::npos);
    }
  }
  const auto text = pi_mcp::catalog::with_keywords("", keywords);
  require(text && pi_mcp::catalog::read_keywords(*text) == keywords);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  pi_mcp::catalog::CatalogTool one;
  one.server = "s";
  one.original = "one";
  pi_mcp::catalog::CatalogTool two = one;
  two.original = "two";
  const auto answer = pi_mcp::registry::read_keyword_answer(text, {&one, &two});
  require(answer.keywords.size() <= 2);
  require(answer.unknown_names.size() <= pi_mcp::registry::unknown_named_max);
  check(answer.keywords);
  check(pi_mcp::catalog::read_keywords(text));
  return 0;
}
