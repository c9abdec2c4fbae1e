#include "http/sse_parser.h"

#include <charconv>
#include <utility>

#include "base/text.h"

namespace pi_mcp::http {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

tl::unexpected<Error> SseParser::too_large() const {
  return fail(ErrorCode::protocol,
              "an event of the stream is larger than " + text::size_text(limits_.event_bytes_max));
}

Result<void> SseParser::feed(std::string_view bytes) {
  goes_on_ = is_inside_event();
  const Result<void> taken = take_lines(bytes);
  goes_on_ = goes_on_ && is_inside_event();
  return taken;
}

Result<void> SseParser::take_lines(std::string_view bytes) {
  while (!bytes.empty()) {
    if (after_return_ && bytes.front() == '\n') {
      bytes.remove_prefix(1);
    }
    after_return_ = false;
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > limits_.event_bytes_max) {
      return too_large();
    }
    if (end == std::string_view::npos) {
      line_ += part;
      return {};
    }
    after_return_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    Result<void> taken;
    if (line_.empty()) {
      taken = take_line(part);  // it came in one piece: no copy
    } else {
      line_ += part;
      taken = take_line(line_);
      line_.clear();
    }
    if (!taken) {
      return taken;
    }
  }
  return {};
}

Result<void> SseParser::take_line(std::string_view line) {
  if (std::exchange(at_start_, false) && line.starts_with(byte_order_mark)) {
    line.remove_prefix(byte_order_mark.size());
  }
  if (line.empty()) {
    end_event();
    return {};
  }
  const std::size_t colon = line.find(':');
  if (colon == 0) {
    return {};  // a comment keeps the connection alive
  }
  std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) {
    value.remove_prefix(1);
  }
  return take_field(line.substr(0, colon), value);
}

Result<void> SseParser::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (event_.data.size() + value.size() + 1 > limits_.event_bytes_max) {
      return too_large();
    }
    if (has_data_) {
      event_.data += '\n';
    }
    event_.data += value;
    has_data_ = true;
  } else if (name == "event" && value.size() <= limits_.name_bytes_max) {
    event_.type = value;
  } else if (name == "id" && value.size() <= limits_.name_bytes_max &&
             value.find('\0') == std::string_view::npos) {
    event_id_ = std::string(value);
  } else if (name == "retry" && !value.empty() &&
             value.find_first_not_of("0123456789") == std::string_view::npos) {
    std::int64_t milliseconds = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
    if (read.ec == std::errc()) {
      retry_ = Milliseconds(milliseconds);
    }
  }
  return {};
}

void SseParser::end_event() {
  goes_on_ = false;
  const bool has_id = event_id_.has_value();
  if (event_id_) {
    last_event_id_ = *std::exchange(event_id_, std::nullopt);
  }
  if (has_data_ || has_id) {
    events_.push_back(std::move(event_));
  }
  event_ = {};
  has_data_ = false;
}

std::optional<SseEvent> SseParser::next() {
  if (events_.empty()) {
    return std::nullopt;
  }
  SseEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

}  // namespace pi_mcp::http
