#include "auth/sealed.h"

#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string key(seal_key_bytes, 'k');

TEST(Sealed, only_the_key_and_the_context_open_it) {
  const Result<std::string> sealed = seal(key, "server one", "planted-secret");
  ASSERT_TRUE(sealed);
  EXPECT_THAT(*sealed, testing::StartsWith("v1."));
  EXPECT_THAT(*sealed, Not(HasSubstr("planted")));
  EXPECT_EQ(unseal(key, "server one", *sealed).value_or(""), "planted-secret");
  EXPECT_FALSE(unseal(key, "server two", *sealed));
  const Result<std::string> other = unseal(std::string(seal_key_bytes, 'x'), "server one", *sealed);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("another key"));
}

TEST(Sealed, every_text_has_a_nonce_of_its_own) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(seal(key, "c", "same").value_or(""));
  }
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Sealed, any_change_is_noticed) {
  const std::string sealed = seal(key, "c", R"({"access":"a","refresh":"b"})").value_or("");
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const Result<std::string> opened = unseal(key, "c", changed);
    // The last digit in front of the padding has bits that say nothing.
    EXPECT_TRUE(!opened || *opened == R"({"access":"a","refresh":"b"})") << i;
    EXPECT_FALSE(unseal(key, "c", sealed.substr(0, i))) << i;
  }
  EXPECT_FALSE(unseal(key, "c", "v2" + sealed.substr(2)));
}

TEST(Sealed, an_empty_text_and_a_wrong_key_length_are_no_trouble) {
  EXPECT_EQ(unseal(key, "", seal(key, "", "").value_or("")).value_or("?"), "");
  EXPECT_FALSE(seal("short", "c", "text"));
  EXPECT_FALSE(unseal("short", "c", seal(key, "c", "text").value_or("")));
}

TEST(Sealed, keys_are_base64_or_digits_of_32_bytes) {
  EXPECT_EQ(parse_seal_key("a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=\n"), key);
  std::string digits;
  for (std::size_t i = 0; i < seal_key_bytes; ++i) {
    digits += i % 2 == 0 ? "6b" : "6B";
  }
  EXPECT_EQ(parse_seal_key(digits), key);
  for (const char* wrong : {"", "password", "a2tr", "6b6b"}) {
    EXPECT_EQ(parse_seal_key(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace pi_mcp::auth
