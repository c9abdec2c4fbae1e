#include "replicas/store_address.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::replicas {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string shown(std::string_view text) {
  const Result<StoreAddress> address = parse_store_address(text);
  return address ? address->text() + " " + address->user + " " + address->password
                 : address.error().message();
}

TEST(StoreAddress, has_a_port_and_a_database_of_its_own_where_none_is_said) {
  EXPECT_EQ(shown("redis://cache.example"), "redis://cache.example:6379  ");
  EXPECT_EQ(shown("redis://cache.example/"), "redis://cache.example:6379  ");
  EXPECT_EQ(shown("redis://10.0.0.5:80/3"), "redis://10.0.0.5:80/3  ");
  EXPECT_EQ(shown("rediss://[fd00::1]:6380"), "rediss://[fd00::1]:6380  ");
}

TEST(StoreAddress, a_password_is_decoded_and_never_shown) {
  EXPECT_EQ(shown("redis://:p%40ss@h"), "redis://h:6379  p@ss");
  EXPECT_EQ(shown("rediss://bob:x:y@h:1"), "rediss://h:1 bob x:y");
  EXPECT_THAT(parse_store_address("redis://bob:hush@h/x").error().message(),
              AllOf(HasSubstr("number of a database"), Not(HasSubstr("hush"))));
}

TEST(StoreAddress, everything_else_is_refused_with_what_is_wanted) {
  for (const char* wrong : {"",
                            "redis:",
                            "redis://",
                            "http://h",
                            "h:6379",
                            "redis://h/-1",
                            "redis://h/65536",
                            "redis://h/1/2",
                            "redis://h?x=1",
                            "redis://word@h",
                            "redis://h:99999"}) {
    EXPECT_THAT(shown(wrong), HasSubstr("--store wants redis://HOST:PORT")) << wrong;
  }
}

}  // namespace
}  // namespace pi_mcp::replicas
