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

const Environment some_variables{.variables = {{"TOKEN", "s3cret"},
                                               {"HOST", "example.com"},
                                               {"NEST", "$env:TOKEN"},
                                               {"EMPTY", ""}},
                                 .home = "/home/u",
                                 .cwd = "/c"};

std::string adapter_hash_of(std::string entry, const Environment& in = some_variables) {
  const auto document = json::Document::parse(std::move(entry));
  EXPECT_TRUE(document);
  return adapter_hash(document->root(), in).value_or("none");
}

// All values that follow are those of computeServerHash() of pi-mcp-adapter 2.36.0 with these
// variables, run by Node.js.
TEST(AdapterHash, golden_values_without_variables) {
  EXPECT_EQ(adapter_hash_of(R"({"command":"npx","args":["-y","chrome-devtools-mcp@latest"]})"),
            "273cf675553c706804218b1e50b2767726ac28790d4883bacfc9749d93d5ab04");
  EXPECT_EQ(
      adapter_hash_of(
          R"({"url":"https://api.example.com/mcp","auth":"bearer","bearerTokenEnv":"API_TOKEN"})"),
      "8bdff923deb292212cc6cfdce41e431597b75b253625c9db59a3466db3e5647e");
  EXPECT_EQ(adapter_hash_of(R"({"command":"node","args":["./server.js"],"env":{"B":"2","A":"1"},)"
                            R"("cwd":"/tmp","exposeResources":false,"lifecycle":"keep-alive",)"
                            R"("idleTimeout":5,"debug":true})"),
            "05026b61b86751907bf6f27f7759fcaafa76c6f2a0ddc0fa8bf4e8033dcd8c92");
  EXPECT_EQ(adapter_hash_of(R"({"command":"node"})"),
            "c7cd5329512fb9b1605e786af247579d1ff2e23f694488e403295ea142b4e9ce");
  EXPECT_EQ(adapter_hash_of(R"({"command":"c","env":{"10":"a","9":"b"},"exposeResources":false,)"
                            R"("auth":false})"),
            "49de34011530fc55ba8610b8e771a55f3b3a6f2ad5872b119836be22c4e114ca");
}

TEST(AdapterHash, golden_values_with_variables_and_commands) {
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://${HOST}/mcp","headers":{"X-B":"${TOKEN}",)"
                            R"("X-A":"{env:HOST} $env:EMPTY ${NOPE}!"}})"),
            "d3bc7a45f2ad2465a0c3be3500f8f055bd878f705e7a20366486dd0e273bf8b7");
  EXPECT_EQ(
      adapter_hash_of(R"({"command":"c","env":{"K":"!print-token","L":"!!${TOKEN}","M":"${NEST}",)"
                      R"("N":"${env:TOKEN}","é":"ü"},"cwd":"~/a//b/./c/..","includeTools":["x"],)"
                      R"("excludeTools":["y*"],"protocolVersion":"2026-07-28"})"),
      "99a21180df77770bd28fe8d9cd14e54030f5ac23bc968395a08d7391395a6fab");
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://e.com/","bearerTokenEnv":"TOKEN"})"),
            "8dda6f12e0e46a30f888a3105f0d67d21c4300704d3100e0822c2f5640dbb940");
  EXPECT_EQ(
      adapter_hash_of(R"({"url":"https://e.com/","bearerToken":"!get","bearerTokenEnv":"TOKEN"})"),
      "85825ebf121117a59e7c2dcee0f0be1c938c7c4b167b18abfcd3277aa964f9d4");
}

TEST(AdapterHash, golden_values_of_a_command_for_headers) {
  EXPECT_EQ(
      adapter_hash_of(R"({"url":"https://e.com/","requestHeadersCommand":{"command":"${TOKEN}x",)"
                      R"("args":["$env:HOST"],"env":{"A":"${TOKEN}"},"timeoutMs":1000}})"),
      "f19bb84cf295822d7863e3fe828305d3dd5cc16e44918fc903bc94be285911f9");
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://e.com/","requestHeadersCommand":{"command":"x"}})"),
            "9af6ad42a7c12bc6a6b881afd50c134c06e166984a9bcb652e1e28fc7b7f59b4");
}

TEST(AdapterHash, golden_values_of_paths) {
  EXPECT_EQ(adapter_hash_of(R"({"command":"c","cwd":"~/x/"})"),
            "78a7cc7df5852fbc56a0aefbde5b5842f77aef83793931e2aaba6560b3b41cda");
  EXPECT_EQ(adapter_hash_of(R"({"command":"c","cwd":"~"})"),
            "aa7de77dc62201a1ee8c50b3e6d9d78c87ec88b0c5fed62e1cb50c67efe4c624");
  EXPECT_EQ(adapter_hash_of(R"({"command":"c","cwd":"~/../../../x/.."})"),
            "1deedea74c6c6780a7f22e69275740085a59e72c1603d88928d50840c8ecfaf3");
  EXPECT_EQ(adapter_hash_of(R"({"command":"c","cwd":"${HOST}/x/../y"})"),
            "eaeb8c2460b2bbbbefb62db488da9fecb816a9e0c7c39e426c3c760a9c8d23bd");
  EXPECT_EQ(adapter_hash_of(R"({"socket":"~\\run/s.sock"})"),
            "c772a9bc0471ea7b05b99ab17d46490e0f3181d15ffc5db9ea6df42210e785fc");
}

TEST(AdapterHash, there_is_none_where_the_adapter_has_none) {
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://${NOPE}/mcp"})"), "none");
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://{env:NOPE}/mcp"})"), "none");
  EXPECT_EQ(adapter_hash_of(R"({"url":"https://$env:NOPE/mcp"})"), "none");
  for (const char* wrong : {R"({"command":"c","cwd":1})",
                            R"({"command":"c","env":[]})",
                            R"({"command":"c","env":{"A":1}})",
                            R"({"url":7})",
                            R"({"bearerToken":null})",
                            R"({"requestHeadersCommand":{"args":"x"}})"}) {
    EXPECT_EQ(adapter_hash_of(wrong), "none") << wrong;
  }
}

TEST(AdapterHash, a_variable_that_counts_changes_it_and_no_other_does) {
  const std::string entry = R"({"command":"c","env":{"A":"${TOKEN}"}})";
  Environment other = some_variables;
  other.variables["HOST"] = "elsewhere";
  EXPECT_EQ(adapter_hash_of(entry), adapter_hash_of(entry, other));
  other.variables["TOKEN"] = "renewed";
  EXPECT_NE(adapter_hash_of(entry), adapter_hash_of(entry, other));
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
