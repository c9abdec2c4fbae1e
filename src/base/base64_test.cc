#include "base/base64.h"

#include <gtest/gtest.h>

namespace pi_mcp {
namespace {

TEST(Base64, refuses_what_is_no_base64) {
  EXPECT_EQ(base64_decoded("a"), std::nullopt);
  EXPECT_EQ(base64_decoded("Zm9v!"), std::nullopt);
  EXPECT_EQ(base64_decoded("Zg="), std::nullopt);
  EXPECT_EQ(base64_decoded("Zg==Zg=="), std::nullopt);
}

TEST(Base64, decodes_the_examples_of_the_rfc) {
  EXPECT_EQ(base64_decoded(""), "");
  EXPECT_EQ(base64_decoded("Zg=="), "f");
  EXPECT_EQ(base64_decoded("Zm8="), "fo");
  EXPECT_EQ(base64_decoded("Zm9v\nYmFy"), "foobar");
}

TEST(Base64, encodes_the_examples_of_the_rfc) {
  EXPECT_EQ(base64_encoded(""), "");
  EXPECT_EQ(base64_encoded("f"), "Zg==");
  EXPECT_EQ(base64_encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, of_urls_has_other_letters_and_no_padding) {
  EXPECT_EQ(base64url_encoded("f"), "Zg");
  EXPECT_EQ(base64url_encoded("\xFB\xFF\xBF"), "-_-_");
  EXPECT_EQ(base64url_decoded("-_-_"), "\xFB\xFF\xBF");
  EXPECT_EQ(base64url_decoded("Zg"), "f");
  EXPECT_EQ(base64url_decoded(""), "");
}

TEST(Base64, of_urls_has_one_text_for_each_bytes) {
  for (const char* wrong :
       {"Zg==", "Zg=", "Zh", "Z", "Zm 9v", "Zm9v\n", "+/+/", "Zm9vZ", "Zm9\xC3"}) {
    EXPECT_EQ(base64url_decoded(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace pi_mcp
