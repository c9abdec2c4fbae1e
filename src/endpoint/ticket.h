// What a session's id says, sealed: all that is needed to go on with a session that nothing was
// kept of, also in another process that has the key. Pure but for the sealing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "access/session_keys.h"
#include "mcp/server/envelope.h"

namespace pi_mcp::endpoint {

struct Ticket {
  std::string nonce;      // parts two sessions that are equal otherwise
  std::string principal;  // its id
  std::string place;      // Place::key()
  std::int64_t made = 0;  // seconds since 1970
  mcp::HostInfo host;
};

// Names of hosts are cut: an id is a header of every request.
constexpr std::size_t host_name_bytes_max = 48;

std::string seal_ticket(const access::SessionKeys& keys, const Ticket& ticket);
// nullopt: it is none of ours, or was changed.
std::optional<Ticket> open_ticket(const access::SessionKeys& keys, std::string_view id);

}  // namespace pi_mcp::endpoint
