// The last events of a session's streams, so that a client whose connection broke gets what it
// missed (MCP 2025-11-25, basic/transports, "Resumability and Redelivery"). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"

namespace pi_mcp::transport {

class EventLog {
 public:
  // Of all streams of the session together; older ones are no longer known.
  static constexpr std::size_t events_max = 256;
  static constexpr std::size_t bytes_max = std::size_t{1} << 20U;

  // An event by its stream and its number, as clients send it back: "7-12".
  struct Place {
    std::uint64_t stream = 0;
    std::uint64_t number = 0;  // given once for all streams of the session
  };
  static std::string id_of(Place place);
  static std::optional<Place> parse(std::string_view id);

  // The place of the next event of a stream; one without data need not be kept.
  Place next(std::uint64_t stream);
  // `frame`: all bytes of the event. One that is larger than all may be together is not kept, nor
  // what came before it.
  void keep(Place place, std::vector<SharedText> frame);

  // The frames that follow on that stream. nullopt: the place was never given, or what follows may
  // no longer be known.
  [[nodiscard]] std::optional<std::vector<SharedText>> after(Place place) const;

 private:
  struct Event {
    Place place;
    std::vector<SharedText> frame;
    std::size_t bytes = 0;
  };

  std::list<Event> events_;
  std::size_t bytes_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t last_forgotten_ = 0;
};

}  // namespace pi_mcp::transport
