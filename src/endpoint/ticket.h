// What a session's id says, sealed: all that is needed to go on with a session that nothing was
// kept of, also in another process that has the key. Pure but for the sealing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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

// Opens tickets, and remembers those that come again and again.
class TicketReader {
 public:
  // `keys` outlive it.
  explicit TicketReader(const access::SessionKeys& keys) : keys_(keys) {}

  // As open_ticket(). Null: none of ours. Valid until the next call.
  const Ticket* open(std::string_view id);

 private:
  using Tickets = std::map<std::string, Ticket, std::less<>>;  // by id

  const access::SessionKeys& keys_;
  // What is in neither half was not asked for since as many others were.
  Tickets newer_;
  Tickets older_;
};

}  // namespace pi_mcp::endpoint
