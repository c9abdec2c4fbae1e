#include "transport/http/events.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::transport {

io::Task<Result<std::optional<http::SseEvent>>> HttpEvents::next() {
  for (;;) {
    if (auto event = parser_.next()) {
      co_return event;
    }
    const Result<std::string_view> bytes = co_await response_->read();
    if (!bytes) {
      co_return fail(bytes.error());
    }
    if (bytes->empty()) {
      co_return std::optional<http::SseEvent>();
    }
    total_bytes_ += bytes->size();
    if (total_bytes_max_ > 0 && total_bytes_ > total_bytes_max_) {
      co_return fail(
          ErrorCode::protocol,
          "the event stream of one answer is larger than " + text::size_text(total_bytes_max_));
    }
    const Result<void> fed = parser_.feed(*bytes);
    if (!fed) {
      co_return fail(fed.error());
    }
  }
}

bool is_event_stream(const http::Head& head) {
  constexpr int ok = 200;
  return head.status == ok && head.content_type() == "text/event-stream";
}

Milliseconds growing_pause(Milliseconds first, Milliseconds most, int times) {
  constexpr int doublings_max = 10;
  return std::min(most, first * (1 << std::min(times, doublings_max)));
}

}  // namespace pi_mcp::transport
