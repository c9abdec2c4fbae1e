#include "config/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "secrets/mask.h"
#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string mask(std::string entry) {
  const Result<json::Document> document = json::Document::parse(std::move(entry));
  EXPECT_TRUE(document);
  return document ? secrets::mask_entry(document->root()) : "";
}

std::vector<std::string> arguments(const std::vector<std::string>& list) {
  return secrets::mask_arguments(list);
}

TEST(ConfigMask, values_of_env_headers_and_tokens_are_hidden) {
  EXPECT_EQ(mask(R"({"command":"c","env":{"A":"x","P":80,"E":""},"headers":{"X":"y"},)"
                 R"("bearerToken":"z","auth":"bearer","bearerTokenEnv":"TOKEN","debug":true})"),
            R"({"command":"c","env":{"A":"***","P":"***","E":""},"headers":{"X":"***"},)"
            R"("bearerToken":"***","auth":"bearer","bearerTokenEnv":"TOKEN","debug":true})");
}

TEST(ConfigMask, references_are_shown_as_written_without_secret_defaults) {
  EXPECT_EQ(secrets::mask_literal("Bearer ${TOKEN}"), "Bearer ${TOKEN}");
  EXPECT_EQ(secrets::mask_literal("$env:A-{env:B}"), "$env:A***{env:B}");
  EXPECT_EQ(secrets::mask_literal("${TOKEN:-hunter2}"), "${TOKEN:-***}");
  EXPECT_EQ(secrets::mask_literal("Bearer hunter2"), "Bearer ***");
  EXPECT_EQ(secrets::mask_literal("hunter2 ${A} x"), "***${A}***");
  EXPECT_EQ(secrets::mask_url("https://${HOST:-example.org}/mcp"),
            "https://${HOST:-example.org}/mcp");
}

TEST(ConfigMask, command_lines_of_secrets_are_hidden) {
  EXPECT_EQ(secrets::mask_literal("!pass show a"), "!***");
  EXPECT_EQ(secrets::mask_literal("!!hunter2"), "***");
}

TEST(ConfigMask, urls_lose_user_information_and_keys) {
  EXPECT_EQ(secrets::mask_url("https://ann:pw@h.example:8080/mcp"),
            "https://***:***@h.example:8080/mcp");
  EXPECT_EQ(secrets::mask_url("https://h.example/mcp?api_key=abc&page=2&x=${Y}#access_token=t"),
            "https://h.example/mcp?api_key=***&page=2&x=${Y}#access_token=***");
  EXPECT_EQ(secrets::mask_url("https://h.example/s/Abcdefghij0123456789Klm/mcp"),
            "https://h.example/s/***/mcp");
  EXPECT_EQ(secrets::mask_url("https://${USER}:${PW}@h/"), "https://${USER}:${PW}@h/");
  EXPECT_EQ(secrets::mask_url("postgres://u:p/w@h/db"), "postgres://***:***@h/db");
  EXPECT_EQ(secrets::mask_url("https://unpkg.com/@scope/pkg"), "https://unpkg.com/@scope/pkg");
  EXPECT_EQ(secrets::mask_url("http://[::1]:80/a@b"), "http://[::1]:80/a@b");
}

TEST(ConfigMask, arguments_behind_secret_flags_are_hidden) {
  EXPECT_THAT(arguments({"-y", "pkg@latest", "--api-key", "abc", "--port", "80"}),
              ElementsAre("-y", "pkg@latest", "--api-key", "***", "--port", "80"));
  EXPECT_THAT(arguments({"--token=abc", "--password", "-x", "--key", "--verbose"}),
              ElementsAre("--token=***", "--password", "***", "--key", "--verbose"));
  EXPECT_THAT(arguments({"--token", "${TOKEN}", "--token-file", "/run/t"}),
              ElementsAre("--token", "${TOKEN}", "--token-file", "/run/t"));
}

TEST(ConfigMask, assignments_and_headers_in_arguments_are_hidden) {
  EXPECT_THAT(
      arguments({"run", "-e", "DEBUG=1", "-e", "NAME", "--env=A=b", "-eA=b", "API_KEY=k"}),
      ElementsAre("run", "-e", "DEBUG=***", "-e", "NAME", "--env=A=***", "-eA=***", "API_KEY=***"));
  EXPECT_THAT(arguments({"--header", "Authorization: Bearer abc", "-H", "X:${V}", "--port=80"}),
              ElementsAre("--header", "Authorization: Bearer ***", "-H", "X:${V}", "--port=80"));
  EXPECT_THAT(arguments({"-u", "ann:pw", "DB=postgres://u:p@h/d", "TOKEN=https://h/x"}),
              ElementsAre("-u", "ann:***", "DB=postgres://***:***@h/d", "TOKEN=***"));
}

TEST(ConfigMask, command_lines_inside_one_argument_are_hidden_too) {
  EXPECT_THAT(arguments({"-c", "export API_KEY=abc; run --token 'a b' -H \"X-Key: v w\" 'x'"}),
              ElementsAre("-c", "export API_KEY=*** run --token *** -H \"X-Key: *** 'x'"));
  EXPECT_THAT(arguments({"-c", "curl -H Authorization: Bearer abc"}),
              ElementsAre("-c", "curl -H Authorization: *** ***"));
}

TEST(ConfigMask, what_looks_like_a_key_is_hidden_wherever_it_stands) {
  for (const char* secret : {"ghp_16C7e42F292c6912E7710c838347Ae178B4a",
                             "sk-proj-abcdef123456",
                             "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
                             "0123456789abcdef0123456789abcdef",
                             "123e4567-e89b-12d3-a456-426614174000",
                             "abcdefghij0123456789",
                             "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEX4MPLEKEY"}) {
    EXPECT_TRUE(secrets::looks_like_secret(secret)) << secret;
    EXPECT_THAT(arguments({secret}), ElementsAre("***"));
    EXPECT_THAT(mask(std::string(R"({"note":")") + secret + R"("})"), Not(HasSubstr(secret)));
  }
  for (const char* harmless : {"@modelcontextprotocol/server-filesystem",
                               "chrome-devtools-mcp@latest",
                               "/home/ann/projects/app2/server.js",
                               "mcp-server-kubernetes-2024-x",
                               "--browser-url=http://127.0.0.1:9222",
                               "C:\\Users\\ann\\AppData\\Local\\server1.exe"}) {
    EXPECT_THAT(arguments({harmless}), ElementsAre(harmless));
  }
}

TEST(ConfigMask, nested_and_unknown_keys_are_hidden_by_name) {
  EXPECT_EQ(
      mask(R"({"oauth":{"clientId":"i","clientSecret":"s","scope":"a",)"
           R"("idp":{"tokenEndpoint":"https://idp.example/token","idToken":"t"}},)"
           R"("x":{"apiKey":"k","list":["--token","t"],"deep":[{"password":["p"]}]},)"
           R"("requestHeadersCommand":{"command":"c","args":["--key","k"],"env":{"A":"b"}}})"),
      R"({"oauth":{"clientId":"i","clientSecret":"***","scope":"a",)"
      R"("idp":{"tokenEndpoint":"https://idp.example/token","idToken":"***"}},)"
      R"("x":{"apiKey":"***","list":["--token","***"],"deep":[{"password":["***"]}]},)"
      R"("requestHeadersCommand":{"command":"c","args":["--key","***"],"env":{"A":"***"}}})");
}

TEST(ConfigMask, names_that_hold_secrets) {
  for (const char* name : {"token",
                           "X-API-Key",
                           "apikey",
                           "GITHUB_PAT",
                           "clientSecret",
                           "--auth",
                           "Authorization",
                           "session_id",
                           "accessKeyId",
                           "DB_PASS"}) {
    EXPECT_TRUE(secrets::is_secret_name(name)) << name;
  }
  for (const char* name :
       {"author", "keyboard", "path", "monkey", "--port", "tokenFile", "compass"}) {
    EXPECT_FALSE(secrets::is_secret_name(name)) << name;
  }
}

class ConfigDescribe : public MachineFixture {};

TEST_F(ConfigDescribe, every_field_has_its_file_and_no_secret) {
  shared(R"({"mcpServers": {"x": {"command": "c", "env": {"K": "hunter2"}, "debug": true}},
      "settings": {"toolPrefix": "none", "jev": {"apiKey": "k"}}})");
  user(R"({"mcpServers": {"x": {"args": ["--token", "hunter2"]}}})");
  const std::vector<FieldDescription> x = describe(server());
  ASSERT_EQ(x.size(), 4U);
  EXPECT_EQ(x[0].key, "command");
  EXPECT_EQ(x[0].origin.path, "/home/ann/.config/mcp/mcp.json");
  EXPECT_EQ(x[1].value, R"({"K":"***"})");
  EXPECT_EQ(x[3].value, R"(["--token","***"])");
  EXPECT_EQ(x[3].origin.path, user_file);
  EXPECT_FALSE(server().problem);
  const std::vector<FieldDescription> settings = describe_settings(load());
  ASSERT_EQ(settings.size(), 2U);
  EXPECT_EQ(settings[0].value, R"("none")");
  EXPECT_EQ(settings[1].value, R"({"apiKey":"***"})");
}

TEST_F(ConfigDescribe, warnings_about_wrong_types_never_repeat_the_value) {
  user(
      R"({"mcpServers": {"x": {"url": 12345678, "bearerToken": 87654321, "headers": "hunter2"}}})");
  for (const std::string& warning : warnings()) {
    EXPECT_THAT(warning, Not(HasSubstr("12345678")));
    EXPECT_THAT(warning, Not(HasSubstr("87654321")));
    EXPECT_THAT(warning, Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(server().problem.value_or(""), Not(HasSubstr("12345678")));
}

}  // namespace
}  // namespace pi_mcp::config
