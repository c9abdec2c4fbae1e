// Any bytes as TOML: a file is refused with its place, or becomes one JSON object that our own
// reader takes, the same one each time.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/toml.h"
#include "json/document.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = pi_mcp::config::toml_to_json(text);
  if (!json) {
    require(!json.error().message().empty());
    return 0;
  }
  const auto document = pi_mcp::json::Document::parse(*json);
  require(document && document->root().is_object());
  require(*pi_mcp::config::toml_to_json(text) == *json);
  // A comment and a line end more mean nothing.
  const auto again = pi_mcp::config::toml_to_json(std::string(text) + "\n# more\n");
  require(again && *again == *json);
  return 0;
}
