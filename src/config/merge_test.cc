#include "config/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The merged entry of server x from a user's and a project's entry.
class ConfigMerge : public MachineFixture {
 protected:
  std::string merged(const std::string& user_entry, const std::string& project_entry) {
    shared(R"({"mcpServers": {"x": )" + user_entry + "}}");
    user(R"({"mcpServers": {"x": )" + project_entry + "}}");
    return server().entry_json;
  }
};

TEST_F(ConfigMerge, another_url_drops_every_credential_of_the_old_one) {
  EXPECT_EQ(merged(R"({"url": "https://a.example/mcp", "headers": {"K": "secret"},
                       "bearerToken": "t", "bearerTokenEnv": "T", "bearerTokenStore": true,
                       "requestHeadersCommand": {"command": "c"}, "caFile": "/ca",
                       "oauth": {"clientId": "i"}, "auth": "bearer", "lifecycle": "eager"})",
                   R"({"url": "https://b.example/mcp"})"),
            R"({"url":"https://b.example/mcp","auth":"bearer","lifecycle":"eager"})");
}

TEST_F(ConfigMerge, oauth_false_survives_another_url) {
  EXPECT_EQ(
      merged(R"({"url": "https://a.example", "oauth": false})", R"({"url": "https://b.example"})"),
      R"({"url":"https://b.example","oauth":false})");
}

TEST_F(ConfigMerge, credentials_cannot_be_carried_over_by_taking_the_url_away_first) {
  shared(R"({"mcpServers": {"x": {"url": "https://a.example", "headers": {"K": "secret"}}}})");
  file("/home/ann/.agents/mcp.json", R"({"mcpServers": {"x": {"url": null}}})");
  user(R"({"mcpServers": {"x": {"url": "https://b.example"}}})");
  EXPECT_EQ(server().entry_json, R"({"url":"https://b.example"})");
}

TEST_F(ConfigMerge, the_same_url_keeps_credentials) {
  EXPECT_EQ(merged(R"({"url": "https://a.example/mcp", "headers": {"K": "secret"}})",
                   R"({"url": "https:\/\/a.example/mcp", "lifecycle": "eager"})"),
            R"({"url":"https:\/\/a.example/mcp","headers":{"K":"secret"},"lifecycle":"eager"})");
}

TEST_F(ConfigMerge, new_credentials_for_another_url_count) {
  EXPECT_EQ(merged(R"({"url": "https://a.example", "headers": {"K": "old"}})",
                   R"({"headers": {"K": "new"}, "url": "https://b.example"})"),
            R"({"url":"https://b.example","headers":{"K":"new"}})");
}

TEST_F(ConfigMerge, a_url_replaces_a_command_and_all_that_belongs_to_it) {
  EXPECT_EQ(merged(R"({"type": "stdio", "command": "c", "args": ["a"], "env": {"A": "1"},
                       "cwd": "/", "inheritEnv": false, "literalEnv": true, "idleTimeout": 1})",
                   R"({"url": "https://a.example"})"),
            R"({"idleTimeout":1,"url":"https://a.example"})");
}

TEST_F(ConfigMerge, a_command_replaces_a_url_and_all_that_belongs_to_it) {
  EXPECT_EQ(merged(R"({"type": "http", "url": "u", "headers": {"A": "1"}, "auth": "bearer",
                       "bearerToken": "t", "oauth": false, "caFile": "/ca",
                       "httpTransport": "sse", "debug": true})",
                   R"({"command": "c"})"),
            R"({"debug":true,"command":"c"})");
}

TEST_F(ConfigMerge, a_socket_replaces_a_command) {
  EXPECT_EQ(merged(R"({"command": "c", "args": ["a"]})", R"({"socket": "~/s.sock"})"),
            R"({"socket":"~/s.sock"})");
}

TEST_F(ConfigMerge, null_takes_a_key_of_a_lower_source_away) {
  EXPECT_EQ(merged(R"({"command": "c", "cwd": "/tmp", "args": ["a"]})", R"({"cwd": null})"),
            R"({"command":"c","args":["a"]})");
}

TEST_F(ConfigMerge, disabled_in_a_higher_source_hides_a_server_and_false_shows_it_again) {
  EXPECT_EQ(merged(R"({"command": "c"})", R"({"disabled": true})"),
            R"({"command":"c","disabled":true})");
  EXPECT_TRUE(server().disabled);
  EXPECT_FALSE(server().problem);
  merged(R"({"command": "c", "disabled": true})", R"({"disabled": false})");
  EXPECT_FALSE(server().disabled);
  merged(R"({"command": "c", "disabled": true})", R"({"enabled": true})");
  EXPECT_FALSE(server().disabled);
  merged(R"({"command": "c"})", R"({"enabled": true, "disabled": true})");
  EXPECT_TRUE(server().disabled);
}

TEST_F(ConfigMerge, settings_merge_per_key_with_their_origins) {
  shared(R"({"settings": {"toolPrefix": "none", "idleTimeout": 3, "unknown": {"a": 1}}})");
  user(R"({"settings": {"idleTimeout": 0.5, "outputGuard": {"maxLines": 9, "maxBytes": -1,
      "searchMaxTokens": 700},
      "requestTimeoutMs": 1500}})");
  const Settings settings = load();
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(settings.tool_prefix, ToolPrefix::none);
  EXPECT_EQ(settings.idle_timeout_minutes, 0.5);
  EXPECT_EQ(settings.request_timeout, Milliseconds(1500));
  EXPECT_EQ(settings.output_guard.lines_max, 9U);
  EXPECT_EQ(settings.output_guard.bytes_max, 0U);
  EXPECT_EQ(settings.output_guard.search_tokens_max, 700U);
  EXPECT_TRUE(settings.output_guard.enabled);
  EXPECT_EQ(settings.origins.at("toolPrefix").path, "/home/ann/.config/mcp/mcp.json");
  EXPECT_EQ(settings.origins.at("idleTimeout").path, user_file);
  EXPECT_EQ(settings.settings_json,
            R"({"toolPrefix":"none","idleTimeout":0.5,"unknown":{"a":1},)"
            R"("outputGuard":{"maxLines":9,"maxBytes":-1,"searchMaxTokens":700},)"
            R"("requestTimeoutMs":1500})");
}

TEST_F(ConfigMerge, settings_have_defaults) {
  const Settings settings = load();
  EXPECT_EQ(settings.tool_prefix, ToolPrefix::server);
  EXPECT_EQ(settings.idle_timeout_minutes, 10);
  EXPECT_FALSE(settings.request_timeout);
  shared(R"({"settings": {"outputGuard": false, "requestTimeoutMs": 0}})");
  EXPECT_FALSE(load().output_guard.enabled);
  EXPECT_FALSE(load().request_timeout);
}

TEST_F(ConfigMerge, every_field_of_a_server_is_typed) {
  shared(
      R"({"mcpServers": {"x": {"command": "c", "args": ["a", 1, true], "env": {"P": 80, "B": true},
      "cwd": "~/w", "inheritEnv": false, "literalEnv": true, "lifecycle": "lazy-keep-alive",
      "idleTimeout": 0, "requestTimeoutMs": 250.5, "startupTimeoutMs": 9, "exposeResources": false,
      "debug": true, "toolPrefix": "short", "includeTools": ["get_*"], "excludeTools": ["b"],
      "searchKeywords": {"t*": ["w"]}, "directTools": ["d"], "approveTools": true},
    "h": {"url": "u", "headers": {"A": "1"}, "auth": false, "bearerToken": "t",
      "bearerTokenEnv": "E", "caFile": "/ca", "httpTransport": "streamable-http",
      "requestHeadersCommand": {"command": "c", "args": ["a"], "env": {"A": "1"},
        "timeoutMs": 250}},
    "sse": {"type": "sse", "url": "u", "auth": "oauth", "directTools": "search",
      "approveTools": "marked"},
    "off": {"command": "c", "enabled": false}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  const Server x = server();
  EXPECT_THAT(x.args, ElementsAre("a", "1", "true"));
  EXPECT_EQ(x.env, (std::map<std::string, std::string>{{"B", "true"}, {"P", "80"}}));
  EXPECT_EQ(x.cwd, "~/w");
  EXPECT_FALSE(x.inherit_env);
  EXPECT_TRUE(x.literal_env);
  EXPECT_EQ(x.lifecycle, LifecycleMode::lazy_keep_alive);
  EXPECT_EQ(x.idle_timeout_minutes, 0);
  EXPECT_EQ(x.request_timeout, Milliseconds(251));
  EXPECT_EQ(x.startup_timeout, Milliseconds(9));
  EXPECT_FALSE(x.expose_resources);
  EXPECT_TRUE(x.debug);
  EXPECT_EQ(x.tool_prefix, ToolPrefix::short_);
  EXPECT_THAT(x.include_tools, ElementsAre("get_*"));
  EXPECT_THAT(x.exclude_tools, ElementsAre("b"));
  EXPECT_THAT(x.search_keywords.at("t*"), ElementsAre("w"));
  EXPECT_THAT(x.direct_tools.value_or(Selection{}).names, ElementsAre("d"));
  EXPECT_TRUE(x.approve_tools.value_or(Selection{}).all);
  const Server h = server("h");
  EXPECT_EQ(h.auth, Auth::none);
  EXPECT_EQ(h.bearer_token, "t");
  EXPECT_EQ(h.bearer_token_env, "E");
  EXPECT_EQ(h.ca_file, "/ca");
  EXPECT_EQ(h.http_transport, HttpTransport::streamable_http);
  ASSERT_TRUE(h.request_headers_command);
  EXPECT_EQ(h.request_headers_command->command, "c");
  EXPECT_THAT(h.request_headers_command->args, ElementsAre("a"));
  EXPECT_EQ(h.request_headers_command->env.at("A"), "1");
  EXPECT_EQ(h.request_headers_command->timeout, Milliseconds(250));
  EXPECT_EQ(server("sse").http_transport, HttpTransport::sse);
  EXPECT_EQ(server("sse").auth, Auth::oauth);
  EXPECT_THAT(server("sse").approve_tools.value_or(Selection{}).names, ElementsAre("marked"));
  EXPECT_TRUE(server("sse").direct_tools.value_or(Selection{}).by_search);
  EXPECT_TRUE(server("off").disabled);
}

TEST_F(ConfigMerge, how_tokens_are_got_is_typed) {
  shared(R"({"settings": {"autoAuth": true}, "mcpServers": {
    "x": {"url": "u", "oauth": {"grantType": "client_credentials", "clientId": "i",
      "clientSecret": "${S}", "scope": "a b", "callbackPort": 4711, "unknown": 1,
      "skipIssuerMetadataValidation": true, "authorizationParams": {"audience": "y"}}},
    "port": {"url": "u", "oauth": {"callbackPort": 99999}},
    "company": {"url": "u", "oauth": {"grantType": "cross_app_access", "clientId": "i",
      "idp": {"issuer": "https://idp.example", "clientId": "j", "idToken": "!sso", "x": "y"}}},
    "typo": {"url": "u", "oauth": {"grantType": "cross-app"}},
    "off": {"url": "u", "oauth": false}, "none": {"url": "u"}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  const OAuth oauth = server("x").oauth.value_or(OAuth{});
  EXPECT_EQ(oauth.grant, Grant::client_credentials);
  EXPECT_TRUE(oauth.any_issuer);
  EXPECT_EQ(oauth.callback_port, 4711);
  EXPECT_EQ(oauth.texts,
            (std::map<std::string, std::string>{
                {"clientId", "i"}, {"clientSecret", "${S}"}, {"scope", "a b"}}));
  EXPECT_EQ(oauth.authorization_params.at("audience"), "y");
  const OAuth company = server("company").oauth.value_or(OAuth{});
  EXPECT_EQ(company.grant, Grant::cross_app_access);
  EXPECT_EQ(company.texts,
            (std::map<std::string, std::string>{{"clientId", "i"},
                                                {"idp.issuer", "https://idp.example"},
                                                {"idp.clientId", "j"},
                                                {"idp.idToken", "!sso"}}));
  EXPECT_THAT(server("typo").problem.value_or(""), testing::HasSubstr("cross_app_access"));
  EXPECT_FALSE(server("port").oauth.value_or(OAuth{}).callback_port);
  EXPECT_TRUE(server("off").oauth_off);
  EXPECT_FALSE(server("none").oauth_off);
  EXPECT_FALSE(server("none").oauth);
}

}  // namespace
}  // namespace pi_mcp::config
