// The events of an HTTP answer that is an event stream.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "http/sse_parser.h"
#include "io/loop/task.h"
#include "io/net/http_client.h"

namespace pi_mcp::transport {

class HttpEvents {
 public:
  // `event_bytes_max` is for one event, `total_bytes_max` for all of the stream; 0: no such limit.
  HttpEvents(std::unique_ptr<io::HttpResponse> response,
             std::size_t event_bytes_max,
             std::size_t total_bytes_max)
      : response_(std::move(response)),
        parser_({.event_bytes_max = event_bytes_max}),
        total_bytes_max_(total_bytes_max) {}

  // The next event; nullopt: the stream has ended. protocol: a limit is exceeded. unavailable: the
  // connection broke. cancelled.
  io::Task<Result<std::optional<http::SseEvent>>> next();

  [[nodiscard]] const std::string& last_event_id() const { return parser_.last_event_id(); }
  [[nodiscard]] std::optional<Milliseconds> retry() const { return parser_.retry(); }

 private:
  std::unique_ptr<io::HttpResponse> response_;
  http::SseParser parser_;
  std::size_t total_bytes_max_;
  std::size_t total_bytes_ = 0;
};

// Whether an answer is one.
[[nodiscard]] bool is_event_stream(const http::Head& head);

// Before the next try to open a stream that broke off: `first`, doubled `times` times, at most
// `most`.
[[nodiscard]] Milliseconds growing_pause(Milliseconds first, Milliseconds most, int times);

}  // namespace pi_mcp::transport
