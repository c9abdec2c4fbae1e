// Bytes of an event stream: however they are cut into reads, the same events come out, within the
// limits. The first byte of the input chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/sse_parser.h"

namespace {

using pi_mcp::http::SseEvent;
using pi_mcp::http::SseLimits;
using pi_mcp::http::SseParser;

constexpr SseLimits limits{.event_bytes_max = 200, .name_bytes_max = 20};

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

struct Read {
  std::vector<SseEvent> events;
  std::string last_event_id;
  std::optional<pi_mcp::Milliseconds> retry;
  bool failed = false;
};

Read read(std::string_view bytes, std::size_t piece) {
  SseParser parser(limits);
  Read result;
  while (!bytes.empty() && !result.failed) {
    result.failed = !parser.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    while (auto event = parser.next()) {
      result.events.push_back(std::move(*event));
    }
  }
  result.last_event_id = parser.last_event_id();
  result.retry = parser.retry();
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Read whole = read(bytes, bytes.size() + 1);
  const Read pieces = read(bytes, std::size_t{data[0]} + 1);
  require(whole.failed == pieces.failed && whole.retry == pieces.retry);
  require(whole.last_event_id == pieces.last_event_id);
  require(whole.events.size() == pieces.events.size());
  for (std::size_t i = 0; i < whole.events.size(); ++i) {
    require(whole.events[i].data == pieces.events[i].data);
    require(whole.events[i].type == pieces.events[i].type);
    require(whole.events[i].data.size() <= limits.event_bytes_max);
    require(whole.events[i].data.find('\r') == std::string::npos);
  }
  return 0;
}
