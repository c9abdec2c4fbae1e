// The brackets of a call as people type them: whatever is taken is one JSON object in the end, and
// what is taken as JSON means the same as JSON.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "cli/words/tool_arguments.h"
#include "cli/words/tool_call.h"
#include "json/document.h"

namespace {

using pi_mcp::Result;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

Result<std::string> sent(std::string_view text) {
  const auto given = pi_mcp::cli::arguments_in_brackets(text);
  return given ? pi_mcp::cli::tool_arguments(*given, {}, {}) : pi_mcp::fail(given.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Result<std::string> json = sent(input);
  if (!json || json->empty()) {
    return 0;
  }
  const auto document = pi_mcp::json::Document::parse_view(*json);
  require(document && document->root().is_object());
  // Read again as one object it is the same.
  const Result<std::string> again = sent(*json);
  require(!again || pi_mcp::json::Document::parse_view(*again).has_value());
  return 0;
}
