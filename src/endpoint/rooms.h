// Room in memory for requests over HTTP: how much of it who may take (shares.h).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "access/principal.h"
#include "endpoint/shares.h"
#include "io/net/http_server.h"

namespace pi_mcp::endpoint {

class Rooms {
 public:
  struct Bytes {
    std::size_t bodies = std::size_t{256} << 20U;
    std::size_t unread = std::size_t{1} << 30U;
  };
  explicit Rooms(Bytes whole) : bodies_(whole.bodies), unread_(whole.unread) {}

  // Whoever has it keeps the principal. Costs no allocation.
  [[nodiscard]] static io::HttpAccount account_of(
      const std::shared_ptr<const access::Principal>& principal) {
    return {principal, &principal->id};
  }
  // Of all of whom it is not known yet, or need not be, who they are.
  [[nodiscard]] const io::HttpAccount& strangers() const { return strangers_; }

  // A reply: there is no room.
  std::optional<io::HttpReply> take(io::HttpRoom room,
                                    const io::HttpAccount& account,
                                    std::size_t bytes);
  void give(io::HttpRoom room, const io::HttpAccount& account, std::size_t bytes) {
    shares(room).remove(*account, bytes);
  }

 private:
  Shares& shares(io::HttpRoom room) { return room == io::HttpRoom::body ? bodies_ : unread_; }

  Shares bodies_;
  Shares unread_;
  io::HttpAccount strangers_ = std::make_shared<const std::string>("strangers");
};

}  // namespace pi_mcp::endpoint
