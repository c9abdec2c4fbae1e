#include "config/identity.h"

#include <gtest/gtest.h>

namespace pi_mcp::config {
namespace {

std::string hash_of(std::string entry) {
  const auto document = json::Document::parse(std::move(entry));
  EXPECT_TRUE(document);
  return identity_hash(document->root());
}

std::string env_text(std::string env) {
  const auto document = json::Document::parse(R"({"env":)" + std::move(env) + "}");
  EXPECT_TRUE(document);
  const std::string text = identity_text(document->root());
  const std::size_t begin = text.find(R"("env":)") + 6;
  return text.substr(begin, text.find(R"(,"exposeResources")") - begin);
}

TEST(IdentityHash, golden_a_npx_server) {
  EXPECT_EQ(hash_of(R"({"command":"npx","args":["-y","chrome-devtools-mcp@latest"]})"),
            "2762c61115a5f8c88ee9674cf1469ead036466c9f213eefebaa740757c5b7043");
}

TEST(IdentityHash, golden_b_http_server_with_bearer_token) {
  EXPECT_EQ(
      hash_of(
          R"({"url":"https://api.example.com/mcp","auth":"bearer","bearerTokenEnv":"API_TOKEN"})"),
      "a665c1634098fe274f7636b28c55705746dd65d25c206496b30e213aa7c4f183");
}

TEST(IdentityHash, golden_c_ignores_lifecycle_idle_timeout_and_debug) {
  EXPECT_EQ(hash_of(R"({"command":"node","args":["./server.js"],"env":{"B":"2","A":"1"},)"
                    R"("cwd":"/tmp","exposeResources":false,"lifecycle":"keep-alive",)"
                    R"("idleTimeout":5,"debug":true})"),
            "2fd7fb2e938921bd642d238f1352536d0ae7ddf04423ab7fe0ddee7c20f75ac5");
}

TEST(IdentityHash, golden_d_bare_command) {
  EXPECT_EQ(hash_of(R"({"command":"node"})"),
            "abc11d3340ff80f20afbb802b5fd407c50697f6059e87aa56268398d07775048");
}

TEST(IdentityHash, changing_args_changes_it_and_changing_direct_tools_does_not) {
  EXPECT_NE(hash_of(R"({"command":"node","args":["a"]})"), hash_of(R"({"command":"node"})"));
  EXPECT_EQ(hash_of(R"({"command":"node","directTools":true})"), hash_of(R"({"command":"node"})"));
}

TEST(IdentityHash, canonical_text_keeps_absent_fields_as_a_bare_word) {
  const auto document = json::Document::parse(
      std::string(R"({"command":"npx","args":["-y","chrome-devtools-mcp@latest"]})"));
  EXPECT_EQ(identity_text(document->root()),
            R"({"args":["-y","chrome-devtools-mcp@latest"],"auth":undefined,)"
            R"("bearerToken":undefined,"bearerTokenEnv":undefined,"command":"npx",)"
            R"("cwd":undefined,"env":undefined,"exposeResources":undefined,)"
            R"("headers":undefined,"url":undefined})");
}

TEST(IdentityHash, numbers_are_written_as_javascript_writes_them) {
  EXPECT_EQ(
      env_text("[1.0, -0, 1e2, 0.1, 1e21, 123456789012345680000, 1e-6, 1e-7, 1.5e300, 1e400]"),
      "[1,0,100,0.1,1e+21,123456789012345680000,0.000001,1e-7,1.5e+300,null]");
  EXPECT_EQ(env_text("[-1.25, 1e-10, 5e-324, 9007199254740993]"),
            "[-1.25,1e-10,5e-324,9007199254740992]");
}

TEST(IdentityHash, strings_are_written_as_javascript_writes_them) {
  EXPECT_EQ(env_text(R"(["\u0041\/\b\f\n\r\t\u000b\u001F\"\\é\u00e9"])"),
            R"(["A/\b\f\n\r\t\u000b\u001f\"\\éé"])");
  EXPECT_EQ(env_text(R"(["\ud83d\ude00","\ud83d","\ude00\ud83d","😀"])"),
            R"(["😀","\ud83d","\ude00\ud83d","😀"])");
}

TEST(IdentityHash, keys_are_sorted_by_utf16_code_unit_and_the_last_duplicate_wins) {
  // U+FF61 sorts after the surrogates of U+1F600 in UTF-16, and before it in UTF-8.
  EXPECT_EQ(env_text(R"({"b":1,"｡":3,"😀":2,"a":{"y":1,"x":2},"b":4})"),
            R"({"a":{"x":2,"y":1},"b":4,"😀":2,"｡":3})");
}

TEST(AuthorizationContext, differs_with_whatever_may_be_a_credential) {
  Environment environment{.variables = {{"TOKEN", "one"}}, .home = "/h", .cwd = "/c"};
  Server server;
  server.name = "s";
  server.url = "https://example.com/${TOKEN}";
  std::set<std::string> seen{authorization_context(server, environment)};
  const auto is_new = [&] {
    return seen.insert(authorization_context(server, environment)).second;
  };
  environment.variables["TOKEN"] = "two";
  EXPECT_TRUE(is_new()) << "a variable in the url";
  server.headers = {{"X-Key", "a"}};
  EXPECT_TRUE(is_new());
  server.bearer_token_env = "TOKEN";
  EXPECT_TRUE(is_new());
  server.bearer_token = "!print-token";
  EXPECT_TRUE(is_new());
  server.request_headers_command = RequestHeadersCommand{.command = "sign", .args = {}, .env = {}};
  EXPECT_TRUE(is_new());
  server.oauth = OAuth{};
  server.oauth->texts["clientId"] = "me";
  EXPECT_TRUE(is_new());
  server.url.reset();
  server.command = "c";
  server.env = {{"KEY", "${TOKEN}"}};
  EXPECT_TRUE(is_new());
  environment.variables["TOKEN"] = "three";
  EXPECT_TRUE(is_new()) << "a variable in env";
  environment.variables["OTHER"] = "x";
  server.lifecycle = LifecycleMode::eager;
  EXPECT_FALSE(is_new()) << "nothing that the server is shown";
}

}  // namespace
}  // namespace pi_mcp::config
