// Connections to addresses and to Unix sockets.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "io/files/fd.h"
#include "io/loop/task.h"
#include "io/net/resolve.h"

namespace pi_mcp::io {

// Looks the name up and tries its addresses, a new one when the last has failed or has not answered
// within 250 ms; the first that answers wins (RFC 8305). unavailable: none did, with the reason of
// the last. Without a deadline of its own.
Task<Result<Fd>> connect_tcp(std::string host, std::uint16_t port);

// connect_tcp() with addresses that were looked up before.
Task<Result<Fd>> connect_tcp(std::vector<Address> addresses);

// Whether the machine is there and says that nothing listens at this port: at each address that the
// name has. False too where that cannot be found out within `limit`.
Task<bool> is_refused(std::string host, std::uint16_t port, Milliseconds limit);

// Whom a connection leads to.
Address peer_of(const Fd& fd);

// Another descriptor of the same connection; not open when the system refuses.
Fd duplicate(const Fd& fd);

// unavailable: nothing listens at that path, or the system's reason. invalid_argument: the path is
// too long.
Task<Result<Fd>> connect_unix(std::string path);

// Two stream sockets that are connected with each other. io: the system's reason.
Result<std::pair<Fd, Fd>> connected_pair();

}  // namespace pi_mcp::io
