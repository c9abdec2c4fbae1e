#include "secrets/message.h"

#include <gtest/gtest.h>

#include "json/writer.h"

namespace pi_mcp::secrets {
namespace {

std::string params(std::string_view json, const Secrets& known = {}) {
  const std::string message =
      R"({"id":"ghp_16C7e42F292c6912E7","params":)" + std::string(json) + "}";
  const Result<json::Document> document = json::Document::parse_view(message);
  const std::string out = mask_message(document->root(), known);
  const std::string before = R"({"id":"ghp_16C7e42F292c6912E7","params":)";
  EXPECT_TRUE(out.starts_with(before)) << "the id is the protocol's";
  return out.substr(before.size(), out.size() - before.size() - 1);
}

std::string said(std::string_view text) {
  const std::string out = params(R"({"text":)" + json::quoted(text) + "}");
  const Result<json::Document> document = json::Document::parse_view(out);
  return document->root().find("text").string_or("");
}

TEST(MaskMessage, HidesTokensInArgumentsByNameAndByLook) {
  EXPECT_EQ(params(R"({"arguments":{"apiKey":"hunter","path":"a","n":[1.50,true,null]}})"),
            R"({"arguments":{"apiKey":"***","path":"a","n":[1.50,true,null]}})");
  EXPECT_EQ(params(R"({"a":"ghp_16C7e42F292c6912E7710c838347Ae178B4a"})"), R"({"a":"***"})");
  EXPECT_EQ(params(R"({"passwords":["hunter22","abcdef"]})"), R"({"passwords":["***","***"]})");
  EXPECT_EQ(params(R"({"otp":123456,"max_tokens":100000})"), R"({"otp":0,"max_tokens":100000})");
}

TEST(MaskMessage, HidesTokensInHeaders) {
  EXPECT_EQ(
      params(R"({"headers":{"Authorization":"Bearer abc","X-Api-Key":"k-12345","Accept":"*/*"}})"),
      R"({"headers":{"Authorization":"***","X-Api-Key":"***","Accept":"*/*"}})");
  EXPECT_EQ(said("curl -H 'Authorization: Bearer abcdef123' https://u:p4ssword@h/x?token=abc"),
            "curl -H 'Authorization: Bearer ***' https://***:***@h/x?token=***");
}

TEST(MaskMessage, HidesTokensInTextsAndInJsonInsideOfThem) {
  EXPECT_EQ(said("GITHUB_TOKEN=abcdefgh\nHOME=/root"), "GITHUB_TOKEN=***\nHOME=/root");
  EXPECT_EQ(said("the password: hunter22, and \"secret\": \"abcdef\""),
            "the password: ***, and \"secret\": \"***\"");
  EXPECT_EQ(said(R"({ "user": "bob", "token": "abcdefgh" })"), R"({"user":"bob","token":"***"})");
  EXPECT_EQ(said("key sk-abcdefghijklmnop1234567890."), "key ***");
}

TEST(MaskMessage, HidesWhatIsKnownToBeSecret) {
  Secrets known;
  known.add("correct horse");
  EXPECT_EQ(params(R"({"text":"say correct horse now","correct horse":1})", known),
            R"({"text":"say *** now","***":1})");
}

TEST(MaskMessage, LeavesTheRestAsItIs) {
  for (const std::string same : {
           R"({"key":"ArrowDown","session":"main","text":"Basic information on tokens: all"})",
           R"({"inputSchema":{"properties":{"token":{"type":"string","description":"A token"}}}})",
           R"({"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB1"})",
           R"({"_meta":{"progressToken":"abcdefgh12345678"},"nextCursor":"eyJwYWdlIjoyMDAwMH0"})",
           R"({"text":"{ \"a\": 1 }","big":12345678901234567890,"e":"\u00e9"})",
       }) {
    EXPECT_EQ(params(same), same);
  }
}

}  // namespace
}  // namespace pi_mcp::secrets
