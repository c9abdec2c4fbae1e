#include "secrets/secrets.h"

#include <gtest/gtest.h>

#include "secrets/mask.h"

namespace pi_mcp::secrets {
namespace {

TEST(Secrets, are_hidden_wherever_they_stand) {
  Secrets secrets;
  secrets.add("hunter22");
  secrets.add("abc");  // too short to be one
  EXPECT_EQ(secrets.hidden_in("abc hunter22,hunter22"), "abc ***,***");
  secrets.add("hunter22-and-more");
  EXPECT_EQ(secrets.hidden_in("hunter22-and-more hunter22"), "*** ***") << "the longer one first";
}

TEST(Secrets, half_of_one_is_not_left_where_a_message_was_cut) {
  Secrets secrets;
  secrets.add("hunter22-and-more");
  EXPECT_EQ(secrets.hidden_in("it said hunter22-an... (code 1)"), "it said ***... (code 1)");
  EXPECT_EQ(secrets.hidden_in("it said hunt..."), "it said hunt...") << "too little to matter";
  EXPECT_EQ(secrets.hidden_in("one... two..."), "one... two...");
}

TEST(Secrets, of_headers_and_addresses_are_known_in_all_their_forms) {
  Secrets secrets;
  secrets.add_header("Bearer token-1");
  EXPECT_EQ(secrets.hidden_in("token-1 Bearer token-1"), "*** ***");
  secrets.add_url("https://someone:pass%20word@host/mcp?a=value-1&b=x%2Fyyyyyy");
  EXPECT_EQ(secrets.hidden_in("pass word, pass%20word, value-1, x/yyyyyy, x%2Fyyyyyy, /mcp"),
            "***, ***, ***, ***, ***, /mcp");
  EXPECT_EQ(secrets.hidden_in("asked for /mcp?a=value-1&b=x%2Fyyyyyy"), "asked for ***");
  secrets.add_url("no address");
}

TEST(Secrets, are_hidden_in_the_strings_of_json) {
  Secrets secrets;
  secrets.add("say \"x\"\n");
  const Result<json::Document> document =
      json::Document::parse(R"({"a":["say \"x\"\n!",1.50,null],"say \"x\"\n":{}})");
  EXPECT_EQ(mask_known(document->root(), secrets), R"({"a":["***!",1.50,null],"***":{}})");
}

TEST(Secrets, of_a_line_of_a_log_are_hidden_in_the_json_in_it) {
  EXPECT_EQ(mask_text(R"(sent {"a":1,"api_key":"abc"})"), R"(sent {"a":1,"api_key":***)");
  EXPECT_EQ(mask_text("asked (token=abc)"), "asked (token=***");
  EXPECT_EQ(mask_text(R"("http://host/a:b" {"url":"http://host/x"})"),
            R"("http://host/a:b" {"url":"http://host/x"})");
  EXPECT_EQ(mask_text("${TOKEN:-abcdef}"), "${TOKEN:-abcdef}");
}

}  // namespace
}  // namespace pi_mcp::secrets
