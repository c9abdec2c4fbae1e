#include "base/digest.h"

#include <string>

#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pi_mcp {
namespace {

TEST(Digest, is_that_of_the_standard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ascii::hex_decoded(sha256_hex("abc")), sha256("abc"));
}

TEST(Digest, is_the_same_only_as_itself) {
  const std::string digest = sha256("abc");
  EXPECT_TRUE(is_same_digest(digest, sha256("abc")));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    std::string other = digest;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_FALSE(is_same_digest(digest, other)) << i;
  }
  EXPECT_FALSE(is_same_digest(digest, digest.substr(1)));
  EXPECT_FALSE(is_same_digest(digest, ""));
  EXPECT_TRUE(is_same_digest("", ""));
}

TEST(HexDigits, become_bytes_and_nothing_else_does) {
  EXPECT_EQ(ascii::hex_decoded(""), "");
  EXPECT_EQ(ascii::hex_decoded("00aFFa"), std::string("\0\xAF\xFA", 3));
  for (const char* wrong : {"0", "0g", "g0", " 0", "0x", "+1", "-1"}) {
    EXPECT_EQ(ascii::hex_decoded(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace pi_mcp
