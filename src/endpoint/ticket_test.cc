#include "endpoint/ticket.h"

#include <gtest/gtest.h>

namespace pi_mcp::endpoint {
namespace {

Ticket ticket() {
  Ticket ticket{
      .nonce = "0011", .principal = "p", .place = "fs\na,b", .made = 1'700'000'000, .host = {}};
  ticket.host.name = "some \"host\"";
  ticket.host.version = "1.2";
  ticket.host.revision = mcp::Revision::r2025_06_18;
  ticket.host.wants_details = true;
  ticket.host.features.sampling = true;
  ticket.host.features.roots_list_changed = true;
  return ticket;
}

TEST(Ticket, says_what_a_session_is) {
  const auto keys = access::SessionKeys::in_memory();
  const auto read = open_ticket(keys, seal_ticket(keys, ticket()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->nonce, "0011");
  EXPECT_EQ(read->principal, "p");
  EXPECT_EQ(read->place, "fs\na,b");
  EXPECT_EQ(read->made, 1'700'000'000);
  EXPECT_EQ(read->host.name, "some \"host\"");
  EXPECT_EQ(read->host.version, "1.2");
  EXPECT_EQ(read->host.revision, mcp::Revision::r2025_06_18);
  EXPECT_TRUE(read->host.wants_details);
  EXPECT_EQ(read->host.features, ticket().host.features);
}

TEST(Ticket, of_another_key_or_of_anything_else_is_none) {
  const auto keys = access::SessionKeys::in_memory();
  EXPECT_FALSE(open_ticket(keys, seal_ticket(access::SessionKeys::in_memory(), ticket())));
  EXPECT_FALSE(open_ticket(keys, ""));
  EXPECT_FALSE(open_ticket(keys, keys.seal("session 1", "[]")));
  EXPECT_FALSE(open_ticket(keys, keys.seal("state 1", "x")));
}

TEST(Ticket, stays_short_whatever_a_host_is_called) {
  const auto keys = access::SessionKeys::in_memory();
  Ticket long_named = ticket();
  long_named.host.name = std::string(10'000, 'n');
  long_named.host.version = std::string(10'000, 'v');
  EXPECT_LT(seal_ticket(keys, long_named).size(), 400U);
}

TEST(TicketReader, opens_what_it_remembers_and_what_it_has_forgotten_alike) {
  const auto keys = access::SessionKeys::in_memory();
  TicketReader reader(keys);
  const auto id_of = [&keys](int number) {
    Ticket numbered = ticket();
    numbered.nonce = std::to_string(number);
    return seal_ticket(keys, numbered);
  };
  const std::string first = id_of(0);
  for (int i = 1; i < 2000; ++i) {
    const Ticket* const read = reader.open(id_of(i));
    ASSERT_NE(read, nullptr);
    ASSERT_EQ(read->nonce, std::to_string(i));
    ASSERT_EQ(reader.open(first)->nonce, "0");
  }
  EXPECT_EQ(reader.open(first + "x"), nullptr);
  EXPECT_EQ(reader.open(seal_ticket(access::SessionKeys::in_memory(), ticket())), nullptr);
}

}  // namespace
}  // namespace pi_mcp::endpoint
