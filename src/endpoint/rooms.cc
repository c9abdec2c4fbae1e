#include "endpoint/rooms.h"

#include <string_view>

#include "endpoint/replies.h"

namespace pi_mcp::endpoint {
namespace {

// What all that wait for keys may send (endpoint.cc); nobody else of them has anything to say.
constexpr std::size_t strangers_bytes_max = std::size_t{16} << 20U;

constexpr std::string_view much_sent =
    "your requests that have no answer yet are so large together that the rest of the room is kept "
    "for others; try again when some are answered";
constexpr std::string_view full = "requests that have no answer yet take all the room; try again";

}  // namespace

std::optional<io::HttpReply> Rooms::take(io::HttpRoom room,
                                         const io::HttpAccount& account,
                                         std::size_t bytes) {
  Shares& taken = shares(room);
  const bool is_stranger = account == strangers_;
  const std::size_t own_max = is_stranger ? strangers_bytes_max : taken.rule().whole;
  if (taken.may_take(*account, bytes) && taken.of(*account) + bytes <= own_max) {
    taken.add(*account, bytes);
    return std::nullopt;
  }
  return !is_stranger && taken.has_much(*account, bytes) ? refused(429, much_sent, retry_after())
                                                         : refused(503, full, retry_after());
}

}  // namespace pi_mcp::endpoint
