// Cuts a text/event-stream into events (WHATWG HTML, "Server-sent events"). Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::http {

struct SseLimits {
  // The data of one event, and also one line: a message is usually one line of data.
  std::size_t event_bytes_max = std::size_t{256} << 20U;
  std::size_t name_bytes_max = 4096;  // of an event's type and of an id
};

struct SseEvent {
  std::string type;  // empty is "message"
  std::string data;  // lines joined by line feeds; may be empty
};

// Lines end in CR, LF or both, a byte order mark at the start is skipped, comments and unknown
// fields are passed over. Events that have neither data nor an id of their own are not reported: an
// event with an id alone is, because it can be resumed from.
class SseParser {
 public:
  explicit SseParser(SseLimits limits = {}) : limits_(limits) {}

  // Takes the next bytes of the stream. protocol: a limit is exceeded; the stream is of no use any
  // more.
  Result<void> feed(std::string_view bytes);
  // The oldest event that was not taken yet.
  std::optional<SseEvent> next();

  // The newest bytes were of one event that has begun before and goes on, not comments alone.
  [[nodiscard]] bool goes_on() const { return goes_on_; }

  // The newest id of any event; empty when there was none. It is what Last-Event-ID says.
  [[nodiscard]] const std::string& last_event_id() const { return last_event_id_; }
  // How long the server wants us to wait before we come back.
  [[nodiscard]] std::optional<Milliseconds> retry() const { return retry_; }

 private:
  [[nodiscard]] bool is_inside_event() const {
    return has_data_ || (!line_.empty() && line_.front() != ':');
  }
  Result<void> take_lines(std::string_view bytes);
  Result<void> take_line(std::string_view line);
  Result<void> take_field(std::string_view name, std::string_view value);
  void end_event();
  [[nodiscard]] tl::unexpected<Error> too_large() const;

  SseLimits limits_;
  std::string line_;  // the beginning of a line that is not complete yet
  bool at_start_ = true;
  bool after_return_ = false;  // a line feed that comes next belongs to the line before
  SseEvent event_;
  bool has_data_ = false;
  bool goes_on_ = false;
  std::optional<std::string> event_id_;
  std::string last_event_id_;
  std::optional<Milliseconds> retry_;
  std::deque<SseEvent> events_;
};

}  // namespace pi_mcp::http
