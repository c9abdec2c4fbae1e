#include "http/ip_address.h"

#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace pi_mcp::http {
namespace {

using enum Place;

struct Case {
  std::string_view host;
  Place place;
};

void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(place_text(place_of_host(each.host)), place_text(each.place)) << each.host;
  }
}

TEST(IpAddress, every_ipv4_block_has_its_place) {
  check({{"0.0.0.0", this_machine},
         {"0.255.255.255", this_machine},
         {"1.0.0.0", internet},
         {"9.255.255.255", internet},
         {"10.0.0.0", private_network},
         {"10.255.255.255", private_network},
         {"11.0.0.0", internet},
         {"100.63.255.255", internet},
         {"100.64.0.0", private_network},
         {"100.127.255.255", private_network},
         {"100.128.0.0", internet},
         {"126.255.255.255", internet},
         {"127.0.0.1", this_machine},
         {"127.255.255.255", this_machine},
         {"128.0.0.0", internet},
         {"169.253.255.255", internet},
         {"169.254.169.254", link_local},
         {"169.255.0.0", internet},
         {"172.15.255.255", internet},
         {"172.16.0.0", private_network},
         {"172.31.255.255", private_network},
         {"172.32.0.0", internet},
         {"192.0.0.8", private_network},
         {"192.167.255.255", internet},
         {"192.168.0.0", private_network},
         {"192.168.255.255", private_network},
         {"192.169.0.0", internet},
         {"198.17.255.255", internet},
         {"198.18.0.0", private_network},
         {"198.19.255.255", private_network},
         {"198.20.0.0", internet},
         {"223.255.255.255", internet},
         {"224.0.0.1", nowhere},
         {"239.255.255.255", nowhere},
         {"240.0.0.1", nowhere},
         {"255.255.255.255", nowhere}});
}

TEST(IpAddress, every_ipv6_block_has_its_place) {
  check({{"::", this_machine},
         {"::1", this_machine},
         {"::2", this_machine},  // compatible with 0.0.0.2
         {"0:0:0:0:0:0:0:1", this_machine},
         {"2001:4860:4860::8888", internet},
         {"2a00::1", internet},
         {"fbff::1", internet},
         {"fc00::1", private_network},
         {"fdff::1", private_network},
         {"fe00::1", internet},
         {"fe7f::1", internet},
         {"fe80::1", link_local},
         {"febf::1", link_local},
         {"fec0::1", private_network},
         {"feff::1", private_network},
         {"ff02::1", nowhere},
         {"100::1", nowhere},
         {"100:0:0:1::", internet},
         {"64:ff9b:1::1", private_network}});
}

TEST(IpAddress, an_ipv4_address_inside_of_an_ipv6_address_decides) {
  check({{"::ffff:127.0.0.1", this_machine},
         {"::ffff:7f00:1", this_machine},
         {"::ffff:10.1.2.3", private_network},
         {"::ffff:8.8.8.8", internet},
         {"::127.0.0.1", this_machine},
         {"::ffff:0:192.168.1.1", private_network},
         {"2002:7f00:1::", this_machine},
         {"2002:a00:1::1", private_network},
         {"2002:808:808::1", internet},
         {"64:ff9b::10.0.0.1", private_network},
         {"64:ff9b::a9fe:a9fe", link_local},
         {"64:ff9b::8.8.8.8", internet},
         {"2001:0:808:808::80ff:fffe", this_machine},  // Teredo: 127.0.0.1 inverted
         {"2001:0:808:808::f7f7:f7f7", internet}});
}

TEST(IpAddress, other_spellings_are_the_same_address) {
  check({{"2130706433", this_machine},
         {"0x7f000001", this_machine},
         {"0177.0.0.1", this_machine},
         {"0x7f.1", this_machine},
         {"127.1", this_machine},
         {"127.0.1", this_machine},
         {"127.0.0.1.", this_machine},
         {"017700000001", this_machine},
         {"0", this_machine},
         {"0xA.0.0.1", private_network},
         {"10.65535", private_network},
         {"2852039166", link_local},
         {"3232235521", private_network},
         {"134744072", internet},
         {"localhost", this_machine},
         {"a.localhost", this_machine},
         {"localhost.", this_machine}});
}

TEST(IpAddress, names_and_broken_addresses_are_no_addresses) {
  for (const std::string_view text : {"",
                                      ".",
                                      "example.com",
                                      "127.0.0.1.example.com",
                                      "1.2.3.4.5",
                                      "256.1.1.1",
                                      "1.2.3.256",
                                      "4294967296",
                                      "08.1.1.1",
                                      "0x",
                                      "-1",
                                      "1..2",
                                      ":",
                                      ":::",
                                      "1:2:3",
                                      "::1::2",
                                      "12345::",
                                      "1:2:3:4:5:6:7:8:9",
                                      "1:2:3:4:5:6:7::8:9",
                                      "::g",
                                      "::1.2.3",
                                      "fe80::1%eth0"}) {
    EXPECT_FALSE(parse_ip_address(text)) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::http
