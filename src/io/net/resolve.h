// Host names become addresses, in a thread of its own: the system has no other way that honours
// all of its configuration, and it blocks.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/ip_address.h"
#include "io/loop/task.h"

namespace pi_mcp::io {

struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// nowhere: of no IP family.
http::Place place_of(const Address& address);

// At most 16 addresses, IPv6 and IPv4 in turn (RFC 8305, section 4); addresses as text and
// localhost cost no thread. unavailable: the name is not known, or too many look-ups hang.
// cancelled at once when the waiting task is cancelled, and a hanging look-up never delays the end
// of the program.
Task<Result<std::vector<Address>>> resolve(std::string host, std::uint16_t port);

}  // namespace pi_mcp::io
