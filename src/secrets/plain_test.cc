#include "secrets/plain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::secrets {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "env.TOKEN -> what to write" of each.
std::vector<std::string> found_in(const std::string& entry) {
  const auto document = json::Document::parse(entry);
  EXPECT_TRUE(document) << entry;
  std::vector<std::string> found;
  if (document) {
    for (const PlainSecret& secret : plain_secrets("gh", document->root())) {
      found.push_back(text::join(secret.path, ".") + " -> " + secret.replacement);
    }
  }
  return found;
}

TEST(PlainSecrets, tokens_are_found_where_entries_hold_them) {
  EXPECT_THAT(
      found_in(R"({"command":"x","env":{"GITHUB_TOKEN":"planted-value",)"
               R"("X":"ghp_16C7e42F292c6912E7710c838347Ae178B4a","MODE":"production"}})"),
      ElementsAre("env.GITHUB_TOKEN -> ${keyring:gh.GITHUB_TOKEN}", "env.X -> ${keyring:gh.X}"));
  EXPECT_THAT(found_in(R"({"url":"https://e/mcp?api_key=planted-value&page=2","headers":)"
                       R"({"Authorization":"Bearer planted-value","Accept":"text/html"}})"),
              ElementsAre("headers.Authorization -> Bearer ${keyring:gh.Authorization}",
                          "url -> https://e/mcp?api_key=${keyring:gh.url}&page=2"));
  EXPECT_THAT(found_in(R"({"url":"https://e","bearerToken":"planted-value",)"
                       R"("oauth":{"clientId":"me","clientSecret":"planted-value"}})"),
              ElementsAre("bearerToken -> ${keyring:gh.bearerToken}",
                          "oauth.clientSecret -> ${keyring:gh.clientSecret}"));
  EXPECT_THAT(
      found_in(R"({"command":"x","args":["--token","planted-value","--api-key=other-value",)"
               R"("-e","PASSWORD=third-value","-e","MODE=production","serve"]})"),
      ElementsAre("args.1 -> ${keyring:gh.args}",
                  "args.2 -> --api-key=${keyring:gh.args-2}",
                  "args.4 -> PASSWORD=${keyring:gh.args-3}"));
}

TEST(PlainSecrets, passwords_of_addresses_are_found) {
  EXPECT_THAT(found_in(R"({"command":"x","args":["postgres://me:planted-value@host/db"]})"),
              ElementsAre("args.0 -> postgres://***:${keyring:gh.args}@host/db"));
  EXPECT_THAT(found_in(R"({"command":"x","env":{"DB":"postgres://me:planted-value@host/db"}})"),
              ElementsAre("env.DB -> postgres://***:${keyring:gh.DB}@host/db"));
}

TEST(PlainSecrets, what_to_write_shows_nothing_that_may_be_secret) {
  EXPECT_THAT(found_in(R"({"url":"https://me:pw@e/x?token=planted-value"})"),
              ElementsAre("url -> https://***:***@e/x?token=${keyring:gh.url}"));
}

TEST(PlainSecrets, what_is_no_token_sends_nobody_to_work) {
  for (const std::string entry :
       {R"({"env":{"TOKEN":"${TOKEN}","KEY":"${keyring:a}","SECRET":"!pass show x"}})",
        R"({"env":{"AUTH_FILE":"/run/secrets/token","AUTH_URL":"https://login.example/path"}})",
        R"({"env":{"USE_AUTH":"true","API_KEY":"<your key here>","PASSWORD":""}})",
        R"({"env":{"TOKEN":"your-token-here"}})",
        R"({"url":"https://e.example/mcp","headers":{"Authorization":"Bearer ${TOKEN}"}})",
        R"({"command":"npx","args":["-y","@scope/server-name","--token-file","/run/secrets/x"]})",
        R"({"url":"https://e","bearerTokenEnv":"GITHUB_TOKEN","oauth":{"clientId":"abcdefghijk"}})",
        R"({"args":"wrong","env":[],"headers":null,"oauth":false})"}) {
    EXPECT_THAT(found_in(entry), IsEmpty()) << entry;
  }
}

}  // namespace
}  // namespace pi_mcp::secrets
