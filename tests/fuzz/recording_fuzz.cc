// A recording as anybody may have changed it: what is read lies in its lines, or the error names
// the file and the line.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/recording/recording.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto messages = pi_mcp::cli::parse_recording("a.jsonl", text);
  if (!messages) {
    require(messages.error().code() == pi_mcp::ErrorCode::invalid_argument);
    require(messages.error().message().starts_with("a.jsonl: line "));
    return 0;
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::size_t line = 2;  // the first says what the file is
  for (const auto& message : *messages) {
    require(message.line >= line && message.line <= lines);
    line = message.line;
  }
  return 0;
}
