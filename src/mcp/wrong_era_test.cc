#include "mcp/wrong_era.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

TEST(WrongEra, knows_what_servers_say_that_could_ask_in_the_older_protocol) {
  for (const std::string_view text :
       {"failed: server-initiated requests are not supported in protocol version 2026-07-28 or "
        "later: return an InputRequests map from the handler instead",
        "Error calling tool 'book': elicitation via server-initiated requests is unavailable on "
        "2026-07-28 connections.",
        "Cannot send 'elicitation/create': this transport context has no back-channel for "
        "server-initiated requests.",
        "Server-to-client requests are not available on protocol revision 2026-07-28: "
        "'elicitation/create' cannot be sent while serving a request on that revision.",
        "Method 'roots/list' is not supported by the negotiated protocol version (wire era "
        "2026-07-28)",
        "logged in session not found",
        "Client does not support elicitation - capability not declared during initialization"}) {
    EXPECT_EQ(wanted_protocol(text, Revision::r2026_07_28, true), Protocol::handshake) << text;
    EXPECT_EQ(wanted_protocol(text, Revision::r2025_11_25, true), std::nullopt) << text;
  }
}

TEST(WrongEra, knows_what_a_server_says_that_asks_by_results) {
  constexpr std::string_view text = "Handler returned an invalid result";
  EXPECT_EQ(wanted_protocol(text, Revision::r2025_06_18, false), Protocol::discovery);
  EXPECT_EQ(wanted_protocol(text, Revision::r2026_07_28, false), std::nullopt);
}

TEST(WrongEra, is_not_to_blame_where_nobody_can_be_asked) {
  EXPECT_EQ(wanted_protocol("Client does not support elicitation", Revision::r2026_07_28, false),
            std::nullopt);
  EXPECT_EQ(wanted_protocol("no such file", Revision::r2026_07_28, true), std::nullopt);
}

}  // namespace
}  // namespace pi_mcp::mcp
