#include "http/ip_address.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "http/url.h"

namespace pi_mcp::http {
namespace {

constexpr std::size_t ipv4_at = 12;  // where the IPv4 address of a mapped one begins
constexpr int bits_per_byte = 8;

// 10, 012 and 0xA are one number.
std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.starts_with('0')) {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return all && !text.starts_with('-') ? std::optional(value) : std::nullopt;
}

// The last part fills what is left: 127.1 is 127.0.0.1.
std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  constexpr std::size_t parts_max = 4;
  constexpr std::uint64_t part_max = 255;
  if (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  const std::vector<std::string_view> parts = text::split(text, '.');
  if (parts.size() > parts_max) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::optional<std::uint64_t> part = number(parts[i]);
    const bool is_last = i + 1 == parts.size();
    const std::uint64_t rest = parts_max - i;  // bytes not yet given
    const std::uint64_t most =
        is_last ? (std::uint64_t{1} << (bits_per_byte * rest)) - 1 : part_max;
    if (!part || *part > most) {
      return std::nullopt;
    }
    value = is_last ? (value << (bits_per_byte * rest)) | *part : (value << bits_per_byte) | *part;
  }
  return static_cast<std::uint32_t>(value);
}

// Groups between colons; the last may be a dotted IPv4 address. False: one of them is none.
bool add_groups(std::string_view text, std::vector<std::uint8_t>& bytes) {
  if (text.empty()) {
    return true;
  }
  const std::vector<std::string_view> groups = text::split(text, ':');
  for (std::size_t i = 0; i < groups.size(); ++i) {
    constexpr std::size_t digits_max = 4;
    constexpr unsigned byte_mask = 0xFF;
    const std::string_view group = groups[i];
    if (i + 1 == groups.size() && group.find('.') != std::string_view::npos) {
      const bool is_dotted_quad = std::count(group.begin(), group.end(), '.') == 3;
      const std::optional<std::uint32_t> last = is_dotted_quad ? parse_ipv4(group) : std::nullopt;
      for (int shift = 24; last && shift >= 0; shift -= bits_per_byte) {
        bytes.push_back(
            static_cast<std::uint8_t>((*last >> static_cast<unsigned>(shift)) & byte_mask));
      }
      return last.has_value();
    }
    unsigned value = 0;
    const auto read = std::from_chars(group.data(), group.data() + group.size(), value, 16);
    if (group.empty() || group.size() > digits_max || read.ec != std::errc() ||
        read.ptr != group.data() + group.size()) {
      return false;
    }
    bytes.push_back(static_cast<std::uint8_t>(value >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(value & byte_mask));
  }
  return true;
}

std::optional<IpAddress> parse_ipv6(std::string_view text) {
  const std::size_t gap = text.find("::");
  std::vector<std::uint8_t> front;
  std::vector<std::uint8_t> back;
  const std::string_view behind =
      gap == std::string_view::npos ? std::string_view() : text.substr(gap + 2);
  if (!add_groups(text.substr(0, gap), front) || !add_groups(behind, back)) {
    return std::nullopt;
  }
  IpAddress address;
  const std::size_t given = front.size() + back.size();
  if (gap == std::string_view::npos ? given != address.bytes.size()
                                    : given >= address.bytes.size()) {
    return std::nullopt;
  }
  std::copy(front.begin(), front.end(), address.bytes.begin());
  std::copy(
      back.begin(), back.end(), address.bytes.end() - static_cast<std::ptrdiff_t>(back.size()));
  return address;
}

class Block {
 public:
  constexpr Block(std::uint32_t first, int bits, Place place)
      : first(first), bits(bits), place(place) {}

  std::uint32_t first;
  int bits;
  Place place;
};

constexpr std::array ipv4_blocks = {
    Block{0x00000000, 8, Place::this_machine},      // 0.0.0.0 connects to this machine
    Block{0x7F000000, 8, Place::this_machine},      // 127/8
    Block{0x0A000000, 8, Place::private_network},   // 10/8
    Block{0x64400000, 10, Place::private_network},  // 100.64/10
    Block{0xAC100000, 12, Place::private_network},  // 172.16/12
    Block{0xC0A80000, 16, Place::private_network},  // 192.168/16
    Block{0xC6120000, 15, Place::private_network},  // 198.18/15
    Block{0xC0000000, 24, Place::private_network},  // 192.0.0/24
    Block{0xA9FE0000, 16, Place::link_local},       // 169.254/16
    Block{0xE0000000, 3, Place::nowhere},           // 224/4 and 240/4
};

Place place_of_ipv4(std::uint32_t address) {
  constexpr int address_bits = 32;
  for (const Block& block : ipv4_blocks) {
    const int shift = address_bits - block.bits;
    if ((address >> static_cast<unsigned>(shift)) ==
        (block.first >> static_cast<unsigned>(shift))) {
      return block.place;
    }
  }
  return Place::internet;
}

std::uint32_t word_at(const IpAddress& address, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + 4; ++i) {
    value = (value << 8U) | address.bytes.at(i);
  }
  return value;
}

bool is_zero(const IpAddress& address, std::size_t from, std::size_t to) {
  return std::all_of(address.bytes.begin() + static_cast<std::ptrdiff_t>(from),
                     address.bytes.begin() + static_cast<std::ptrdiff_t>(to),
                     [](std::uint8_t byte) { return byte == 0; });
}

// The IPv4 address that an IPv6 address stands for.
std::optional<std::uint32_t> embedded_ipv4(const IpAddress& address) {
  constexpr std::uint32_t six_to_four = 0x2002;     // RFC 3056
  constexpr std::uint32_t teredo = 0x20010000;      // RFC 4380; the address is inverted
  constexpr std::uint32_t nat64 = 0x0064FF9B;       // RFC 6052
  constexpr std::uint32_t mapped = 0x0000FFFF;      // RFC 4291, 2.5.5.2
  constexpr std::uint32_t translated = 0xFFFF0000;  // RFC 2765
  const std::uint32_t first = word_at(address, 0);
  const std::uint32_t last = word_at(address, ipv4_at);
  if (first >> 16U == six_to_four) {
    return word_at(address, 2);
  }
  if (first == teredo) {
    return ~last;
  }
  const bool is_nat64 = first == nat64 && is_zero(address, 4, ipv4_at);
  const bool is_mapped = is_zero(address, 0, 8) && word_at(address, 8) == mapped;
  const bool is_translated = is_zero(address, 0, 8) && word_at(address, 8) == translated;
  const bool is_compatible = is_zero(address, 0, ipv4_at) && last > 1;  // not :: and ::1
  return is_nat64 || is_mapped || is_translated || is_compatible ? std::optional(last)
                                                                 : std::nullopt;
}

}  // namespace

IpAddress ipv4_address(std::uint32_t value) {
  IpAddress address;
  address.bytes[ipv4_at - 2] = 0xFF;
  address.bytes[ipv4_at - 1] = 0xFF;
  for (std::size_t i = 0; i < 4; ++i) {
    address.bytes.at(ipv4_at + i) = static_cast<std::uint8_t>(value >> (24U - 8U * i));
  }
  return address;
}

std::optional<IpAddress> parse_ip_address(std::string_view text) {
  if (text.find(':') != std::string_view::npos) {
    return parse_ipv6(text);
  }
  const std::optional<std::uint32_t> value = parse_ipv4(text);
  return value ? std::optional(ipv4_address(*value)) : std::nullopt;
}

Place place_of(const IpAddress& address) {
  if (const std::optional<std::uint32_t> inside = embedded_ipv4(address)) {
    return place_of_ipv4(*inside);
  }
  constexpr unsigned ula = 0xFC;  // fc00::/7, RFC 4193
  constexpr unsigned ula_mask = 0xFE;
  constexpr unsigned link = 0x3FA;                   // fe80::/10
  constexpr unsigned site = 0x3FB;                   // fec0::/10, RFC 3879
  constexpr std::uint32_t local_nat64 = 0x0064FF9B;  // 64:ff9b:1::/48, RFC 8215
  constexpr std::uint32_t discard = 0x01000000;      // 100::/64, RFC 6666
  if (is_zero(address, 0, address.bytes.size() - 1)) {
    return Place::this_machine;  // :: and ::1
  }
  const auto ten_bits = static_cast<unsigned>((address.bytes[0] << 2U) | (address.bytes[1] >> 6U));
  if ((address.bytes[0] & ula_mask) == ula || ten_bits == site ||
      word_at(address, 0) == local_nat64) {
    return Place::private_network;
  }
  if (ten_bits == link) {
    return Place::link_local;
  }
  const bool is_multicast = address.bytes[0] == 0xFF;
  const bool is_discard = word_at(address, 0) == discard && is_zero(address, 4, 8);
  return is_multicast || is_discard ? Place::nowhere : Place::internet;
}

Place place_of_host(std::string_view host) {
  if (is_loopback_host(host.substr(0, host.find_last_not_of('.') + 1))) {
    return Place::this_machine;
  }
  const std::optional<IpAddress> address = parse_ip_address(host);
  return address ? place_of(*address) : Place::internet;
}

std::string_view place_text(Place place) {
  constexpr std::array<std::string_view, 5> texts = {"in the internet",
                                                     "on this machine",
                                                     "in a private network",
                                                     "on the local link",
                                                     "reserved"};
  return texts.at(static_cast<std::size_t>(place));
}

}  // namespace pi_mcp::http
