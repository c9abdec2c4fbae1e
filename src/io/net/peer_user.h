// Whose process is at the other end of a connection on this machine, by the kernel's word.
#pragma once

#include <cstdint>
#include <optional>

#include "io/files/fd.h"

namespace pi_mcp::io {

// The uid of the process at the other end: of a Unix socket (SO_PEERCRED), or of a TCP connection
// both ends of which are here (sock_diag(7)). nullopt: it is elsewhere, in another network
// namespace, or the kernel does not say.
[[nodiscard]] std::optional<std::uint32_t> peer_user(const Fd& connection);

}  // namespace pi_mcp::io
