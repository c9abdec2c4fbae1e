#include "io/net/aes_gcm.h"

#include <string>

#include <gtest/gtest.h>

#include "base/ascii.h"

namespace pi_mcp::io {
namespace {

const std::string key(gcm_key_bytes, 'k');

TEST(AesGcm, opens_what_the_same_key_and_words_have_sealed) {
  for (const std::string& text : {std::string(), std::string("text"), std::string(100'000, 'x')}) {
    const std::string sealed = gcm_sealed(key, "also", text).value_or("");
    EXPECT_EQ(sealed.size(), gcm_nonce_bytes + text.size() + gcm_tag_bytes);
    EXPECT_EQ(gcm_opened(key, "also", sealed), text);
    EXPECT_EQ(gcm_opened(key, "other", sealed), std::nullopt);
    EXPECT_EQ(gcm_opened(std::string(gcm_key_bytes, 'x'), "also", sealed), std::nullopt);
  }
}

// Test case 15 of the paper that GCM was proposed by (McGrew and Viega), without its last 4 bytes
// and with its additional data: case 16.
TEST(AesGcm, is_the_one_that_others_have) {
  const auto bytes = [](std::string_view digits) {
    return ascii::hex_decoded(digits).value_or("");
  };
  const std::string sealed = bytes(
      "cafebabefacedbaddecaf888"
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
      "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
      "76fc6ece0f4e1768cddf8853bb2d551b");
  EXPECT_EQ(gcm_opened(bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"),
                       bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
                       sealed),
            bytes("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                  "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"));
}

TEST(AesGcm, refuses_keys_and_texts_of_another_length) {
  EXPECT_FALSE(gcm_sealed("short", "", "text"));
  const std::string sealed = gcm_sealed(key, "", "").value_or("");
  EXPECT_FALSE(gcm_opened("short", "", sealed));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    EXPECT_FALSE(gcm_opened(key, "", sealed.substr(0, i))) << i;
  }
}

}  // namespace
}  // namespace pi_mcp::io
