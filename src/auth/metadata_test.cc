#include "auth/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

http::Url url(std::string_view text) {
  Result<http::Url> parsed = http::parse_url(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : http::Url{};
}

http::AddressRule of(std::string_view server) {
  return address_rule(server, {});
}

TEST(ResourceMetadataTest, is_looked_for_at_the_path_and_then_at_the_root) {
  EXPECT_THAT(resource_metadata_urls(url("https://a.example:8443/v1/mcp/")),
              ElementsAre("https://a.example:8443/.well-known/oauth-protected-resource/v1/mcp",
                          "https://a.example:8443/.well-known/oauth-protected-resource"));
  EXPECT_THAT(resource_metadata_urls(url("https://a.example")),
              ElementsAre("https://a.example/.well-known/oauth-protected-resource"));
}

TEST(ResourceMetadataTest, what_it_says_is_kept_as_it_is_written) {
  const auto metadata = parse_resource_metadata(
      R"({"resource":"https://A.example","authorization_servers":["https://as.example/"],)"
      R"("scopes_supported":["a","b"]})",
      url("https://a.example/mcp"));
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->resource, "https://A.example");
  EXPECT_THAT(metadata->authorization_servers, ElementsAre("https://as.example/"));
  EXPECT_THAT(metadata->scopes_supported, ElementsAre("a", "b"));
}

TEST(ResourceMetadataTest, a_resource_that_is_not_this_server_is_refused) {
  for (const std::string_view resource : {"https://evil.example.com/mcp",
                                          "http://a.example/mcp",
                                          "https://a.example:444/mcp",
                                          "https://a.example/mc",
                                          "https://a.example/mcp/other",
                                          "https://a.example/mcp#x",
                                          "a.example"}) {
    const std::string body = R"({"authorization_servers":["https://as.example"],"resource":")" +
                             std::string(resource) + R"("})";
    const auto metadata = parse_resource_metadata(body, url("https://a.example/mcp"));
    ASSERT_FALSE(metadata) << resource;
    EXPECT_EQ(metadata.error().code(), ErrorCode::protocol);
  }
}

TEST(ResourceMetadataTest, a_parent_path_is_this_server) {
  for (const std::string_view resource : {"https://a.example",
                                          "https://a.example/",
                                          "https://a.example/v1",
                                          "https://a.example/v1/",
                                          "https://a.example/v1/mcp"}) {
    const std::string body = R"({"authorization_servers":["https://as.example"],"resource":")" +
                             std::string(resource) + R"("})";
    EXPECT_TRUE(parse_resource_metadata(body, url("https://a.example/v1/mcp"))) << resource;
  }
}

TEST(ResourceMetadataTest, without_a_server_to_log_in_at_it_is_useless) {
  const auto tokens_only =
      parse_resource_metadata(R"({"resource":"https://a.example"})", url("https://a.example"));
  ASSERT_FALSE(tokens_only);
  EXPECT_THAT(tokens_only.error().message(), testing::HasSubstr("\"bearerToken\""));
  EXPECT_FALSE(parse_resource_metadata("<html>", url("https://a.example")));
  EXPECT_FALSE(parse_resource_metadata("[]", url("https://a.example")));
}

TEST(ServerMetadataTest, an_issuer_without_path_has_two_places) {
  EXPECT_THAT(*server_metadata_urls("https://as.example"),
              ElementsAre("https://as.example/.well-known/oauth-authorization-server",
                          "https://as.example/.well-known/openid-configuration"));
  EXPECT_EQ(server_metadata_urls("https://as.example/")->size(), 2U);
}

TEST(ServerMetadataTest, an_issuer_with_path_never_asks_the_root) {
  EXPECT_THAT(*server_metadata_urls("https://as.example/tenant1"),
              ElementsAre("https://as.example/.well-known/oauth-authorization-server/tenant1",
                          "https://as.example/.well-known/openid-configuration/tenant1",
                          "https://as.example/tenant1/.well-known/openid-configuration"));
}

TEST(ServerMetadataTest, an_issuer_that_is_no_address_is_refused) {
  EXPECT_FALSE(server_metadata_urls("as.example"));
  EXPECT_FALSE(server_metadata_urls("https://as.example/?x"));
}

std::string document(std::string_view issuer, std::string_view more = "") {
  return R"({"issuer":")" + std::string(issuer) +
         R"(","authorization_endpoint":"https://as.example/authorize",)"
         R"("token_endpoint":"https://as.example/token")" +
         std::string(more) + "}";
}

TEST(ServerMetadataTest, reads_what_the_flow_needs) {
  const auto metadata =
      parse_server_metadata(document("https://as.example",
                                     R"(,"registration_endpoint":"https://as.example/register",)"
                                     R"("revocation_endpoint":"https://as.example/revoke",)"
                                     R"("scopes_supported":["openid","offline_access"],)"
                                     R"("token_endpoint_auth_methods_supported":["none"],)"
                                     R"("code_challenge_methods_supported":["plain","S256"],)"
                                     R"("client_id_metadata_document_supported":true,)"
                                     R"("authorization_response_iss_parameter_supported":true)"),
                            "https://as.example",
                            IssuerRule::exact,
                            of("https://a.example"));
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->registration_endpoint, "https://as.example/register");
  EXPECT_EQ(metadata->revocation_endpoint, "https://as.example/revoke");
  EXPECT_THAT(metadata->token_auth_methods, ElementsAre("none"));
  EXPECT_TRUE(metadata->has_s256);
  EXPECT_TRUE(metadata->accepts_client_metadata_url);
  EXPECT_TRUE(metadata->sends_issuer);
}

TEST(ServerMetadataTest, the_issuer_must_be_the_one_asked_for_byte_by_byte) {
  const http::AddressRule server = of("https://a.example");
  for (const std::string_view issuer :
       {"https://attacker.example", "https://as.example/", "https://AS.example", ""}) {
    const auto metadata =
        parse_server_metadata(document(issuer), "https://as.example", IssuerRule::exact, server);
    ASSERT_FALSE(metadata) << issuer;
    EXPECT_THAT(metadata.error().message(), HasSubstr("issuer"));
  }
}

TEST(ServerMetadataTest, without_resource_metadata_another_path_of_the_same_origin_will_do) {
  const http::AddressRule server = of("https://as.example/mcp");
  EXPECT_TRUE(parse_server_metadata(
      document("https://as.example/oauth"), "https://as.example", IssuerRule::same_origin, server));
  EXPECT_FALSE(parse_server_metadata(
      document("https://attacker.example"), "https://as.example", IssuerRule::same_origin, server));
}

TEST(ServerMetadataTest, endpoints_on_plain_http_are_refused_except_on_this_machine) {
  const std::string body =
      R"({"issuer":"http://localhost:1","token_endpoint":"http://localhost:1/t",)"
      R"("authorization_endpoint":"http://localhost:1/a"})";
  EXPECT_TRUE(parse_server_metadata(
      body, "http://localhost:1", IssuerRule::exact, of("http://127.0.0.1:2/mcp")));
  // A remote server must not make us talk to what listens here.
  EXPECT_FALSE(parse_server_metadata(
      body, "http://localhost:1", IssuerRule::exact, of("https://a.example/mcp")));
  EXPECT_FALSE(parse_server_metadata(
      document("https://as.example", R"(,"registration_endpoint":"http://as.example/register")"),
      "https://as.example",
      IssuerRule::exact,
      of("https://a.example")));
}

TEST(ServerMetadataTest, endpoints_in_places_of_this_network_are_refused_by_name) {
  const auto metadata = parse_server_metadata(
      document("https://as.example", R"(,"revocation_endpoint":"https://192.168.1.1/revoke")"),
      "https://as.example",
      IssuerRule::exact,
      of("https://a.example"));
  ASSERT_FALSE(metadata);
  EXPECT_THAT(metadata.error().message(), HasSubstr("its revocation_endpoint: "));
  EXPECT_THAT(metadata.error().message(), HasSubstr("https://192.168.1.1"));
  EXPECT_THAT(metadata.error().message(), HasSubstr("privateHosts"));
}

ServerMetadata pkce(std::string_view more) {
  const auto metadata = parse_server_metadata(document("https://as.example", more),
                                              "https://as.example",
                                              IssuerRule::exact,
                                              of("https://a.example"));
  EXPECT_TRUE(metadata);
  return metadata ? *metadata : ServerMetadata{};
}

TEST(ServerMetadataTest, pkce_has_to_be_said_or_vouched_for) {
  const ServerMetadata silent = pkce("");
  const ServerMetadata plain = pkce(R"(,"code_challenge_methods_supported":["plain"])");
  const ServerMetadata good = pkce(R"(,"code_challenge_methods_supported":["S256"])");
  EXPECT_TRUE(check_pkce(good, false));
  EXPECT_FALSE(check_pkce(plain, false));
  EXPECT_FALSE(check_pkce(plain, true)) << "it says itself that it cannot";
  EXPECT_TRUE(check_pkce(silent, true));
  const Result<void> refused = check_pkce(silent, false);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("oauth.assumePkce"));
}

// Metadata at an address that the user configured.
struct Configured {
  std::string issuer;
  std::string page;
  std::string token;
  std::string url;
};

Result<void> check(const Configured& given, Grant grant = Grant::authorization_code) {
  ServerMetadata metadata;
  metadata.issuer = given.issuer;
  metadata.authorization_endpoint = given.page;
  metadata.token_endpoint = given.token;
  return check_configured_metadata(metadata, given.url, grant);
}

TEST(ConfiguredMetadata, that_is_where_its_issuer_has_it_may_have_endpoints_anywhere) {
  EXPECT_TRUE(check({.issuer = "https://accounts.google.com",
                     .page = "https://accounts.google.com/o/oauth2/v2/auth",
                     .token = "https://oauth2.googleapis.com/token",
                     .url = "https://accounts.google.com/.well-known/openid-configuration"}));
  EXPECT_TRUE(check({.issuer = "https://idp.example/pool",
                     .page = "https://login.example/authorize",
                     .token = "https://login.example/token",
                     .url = "https://idp.example/pool/.well-known/openid-configuration"}));
}

TEST(ConfiguredMetadata, elsewhere_has_all_endpoints_at_one_origin_that_is_known) {
  EXPECT_TRUE(check({.issuer = "https://login.example/{tenant}",
                     .page = "https://login.example/authorize",
                     .token = "https://login.example/token",
                     .url = "https://login.example/common/metadata"}));
  EXPECT_TRUE(check({.issuer = "https://sts.example",
                     .page = "https://login.example/authorize",
                     .token = "https://login.example/token",
                     .url = "https://login.example/metadata"}));
}

TEST(ConfiguredMetadata, cannot_send_a_code_of_one_origin_to_another) {
  const Result<void> stolen = check({.issuer = "https://as.example",
                                     .page = "https://as.example/authorize",
                                     .token = "https://evil.example/token",
                                     .url = "https://evil.example/meta"});
  ASSERT_FALSE(stolen);
  EXPECT_EQ(stolen.error().code(), ErrorCode::protocol);
  for (const char* part :
       {"https://as.example", "https://evil.example", "oauth.skipIssuerMetadataValidation"}) {
    EXPECT_THAT(stolen.error().message(), HasSubstr(part));
  }
  EXPECT_FALSE(check({.issuer = "https://as.example",
                      .page = "https://third.example/authorize",
                      .token = "https://third.example/token",
                      .url = "https://meta.example/meta"}));
}

TEST(ConfiguredMetadata, without_a_person_the_page_does_not_count) {
  EXPECT_TRUE(check({.issuer = "https://as.example",
                     .page = "https://login.example/authorize",
                     .token = "https://as.example/token",
                     .url = "https://meta.example/meta"},
                    Grant::client_credentials));
  EXPECT_FALSE(check({.issuer = "https://as.example",
                      .page = "",
                      .token = "https://evil.example/token",
                      .url = "https://meta.example/meta"},
                     Grant::client_credentials));
}

TEST(ServerMetadataTest, servers_without_any_metadata_have_fixed_endpoints) {
  const ServerMetadata metadata = fixed_endpoints(url("http://localhost:3000/mcp"));
  EXPECT_EQ(metadata.authorization_endpoint, "http://localhost:3000/authorize");
  EXPECT_EQ(metadata.token_endpoint, "http://localhost:3000/token");
  EXPECT_EQ(metadata.registration_endpoint, "http://localhost:3000/register");
}

}  // namespace
}  // namespace pi_mcp::auth
