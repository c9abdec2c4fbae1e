// IP addresses in every spelling that resolvers take, and what kind of place each is. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace pi_mcp::http {

// Sixteen bytes in network order; an IPv4 address as ::ffff:a.b.c.d.
struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};
};

IpAddress ipv4_address(std::uint32_t value);

// 192.0.2.1 also as 3221225985, 0xC0.0.0x201 or 0300.0.1025 (inet_aton(3)), and with a dot behind
// it; IPv6 without brackets and zone. nullopt: a name, or broken.
std::optional<IpAddress> parse_ip_address(std::string_view text);

// Where an address leads (IANA special-purpose registries, RFC 6890).
enum class Place : std::uint8_t {
  internet,
  this_machine,     // loopback, and "this network", which leads to it
  private_network,  // RFC 1918, RFC 6598 (100.64/10), RFC 2544 (198.18/15), ULA, site-local
  link_local,       // 169.254/16 has the metadata services of clouds
  nowhere,          // multicast, broadcast, reserved
};

// An address that carries an IPv4 address (mapped, compatible, translated, 6to4, NAT64, Teredo) is
// where that one is.
Place place_of(const IpAddress& address);

// Where the host of a url is, if it is a spelling of an address, or localhost or a name below it.
// Any other name: internet, since nothing is looked up.
Place place_of_host(std::string_view host);

// "on this machine", "in a private network", ...
std::string_view place_text(Place place);

}  // namespace pi_mcp::http
