#include "cli/http/listen_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

TEST(ListenAddress, is_completed) {
  EXPECT_EQ(*listen_address("127.0.0.1:1"), "127.0.0.1:1");
  EXPECT_EQ(*listen_address("127.0.0.1"), "127.0.0.1:8808");
  EXPECT_EQ(*listen_address("localhost"), "localhost:8808");
  EXPECT_EQ(*listen_address("9000"), "127.0.0.1:9000");
  EXPECT_EQ(*listen_address(":9000"), "127.0.0.1:9000");
  EXPECT_EQ(*listen_address("[::1]"), "[::1]:8808");
  EXPECT_EQ(*listen_address("[::1]:1"), "[::1]:1");
  EXPECT_EQ(*listen_address("unix:/run/x"), "unix:/run/x");
}

TEST(ListenAddress, of_nothing_says_how_one_looks) {
  for (const char* wrong :
       {"", "::1", "1:2:3", "foo", "1.2.3:x", "1.2.3:1", "127.0.0.1:x", "127.0.0.1:70000"}) {
    const Result<std::string> address = listen_address(wrong);
    ASSERT_FALSE(address) << wrong;
    EXPECT_THAT(address.error().message(), testing::HasSubstr("127.0.0.1:8808"));
  }
}

TEST(ListeningText, says_where) {
  EXPECT_THAT(listening_text("127.0.0.1:1", false), testing::HasSubstr("http://127.0.0.1:1/mcp, "));
  EXPECT_THAT(listening_text("unix:/a", false), testing::HasSubstr("Unix socket /a at /mcp"));
}

TEST(ListeningWarnings, say_who_could_come_in_or_listen) {
  using testing::ElementsAre;
  using testing::HasSubstr;
  using testing::IsEmpty;
  EXPECT_THAT(listening_warnings("127.0.0.1:1", false, {}), IsEmpty());
  EXPECT_THAT(listening_warnings("127.0.0.1:1", false, {"gateway.example"}),
              ElementsAre(HasSubstr("passes gateway.example on has to set X-Forwarded-For")));
  EXPECT_THAT(listening_warnings("0.0.0.0:1", true, {"gateway.example"}), IsEmpty());
  EXPECT_THAT(listening_warnings("0.0.0.0:1", false, {}),
              ElementsAre(HasSubstr("unencrypted to and from 0.0.0.0:1")));
}

}  // namespace
}  // namespace pi_mcp::cli
