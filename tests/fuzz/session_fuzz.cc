// What a front says of its session, the text of its words while greeting, and what a waiter leaves
// to the front that it was: whatever is read is written and read the same.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "attach/greeting.h"
#include "attach/session_facts.h"
#include "io/process/waiter.h"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pi_mcp;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto facts = attach::parse_session_text(text)) {
    const std::string written = attach::session_text(*facts);
    const auto again = attach::parse_session_text(written);
    require(again && attach::session_text(*again) == written);
  }
  if (const auto words = attach::parse_welcome(text)) {
    require(attach::text_of(*words) == text);
  }
  if (const auto wake = io::parse_wake_text(text)) {
    require(io::wake_text(*wake) == text);
  }
  return 0;
}
