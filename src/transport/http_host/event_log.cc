#include "transport/http_host/event_log.h"

#include <charconv>
#include <utility>

namespace pi_mcp::transport {
namespace {

std::optional<std::uint64_t> number_of(std::string_view digits) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? std::optional(value)
                                                                             : std::nullopt;
}

}  // namespace

std::string EventLog::id_of(Place place) {
  return std::to_string(place.stream) + "-" + std::to_string(place.number);
}

std::optional<EventLog::Place> EventLog::parse(std::string_view id) {
  const std::size_t dash = id.find('-');
  const std::optional<std::uint64_t> stream = number_of(id.substr(0, dash));
  const std::optional<std::uint64_t> number =
      dash == std::string_view::npos ? std::nullopt : number_of(id.substr(dash + 1));
  return stream && number ? std::optional(Place{.stream = *stream, .number = *number})
                          : std::nullopt;
}

EventLog::Place EventLog::next(std::uint64_t stream) {
  return {.stream = stream, .number = ++last_};
}

void EventLog::keep(Place place, std::vector<SharedText> frame) {
  std::size_t bytes = 0;
  for (const SharedText& piece : frame) {
    bytes += piece.size();
  }
  bytes_ += bytes;
  events_.push_back({.place = place, .frame = std::move(frame), .bytes = bytes});
  while (bytes_ > bytes_max || events_.size() > events_max) {
    last_forgotten_ = events_.front().place.number;
    bytes_ -= events_.front().bytes;
    events_.pop_front();
  }
}

std::optional<std::vector<SharedText>> EventLog::after(Place place) const {
  if (place.number > last_ || place.number < last_forgotten_) {
    return std::nullopt;
  }
  std::vector<SharedText> frames;
  for (const Event& event : events_) {
    if (event.place.stream == place.stream && event.place.number > place.number) {
      frames.insert(frames.end(), event.frame.begin(), event.frame.end());
    }
  }
  return frames;
}

}  // namespace pi_mcp::transport
