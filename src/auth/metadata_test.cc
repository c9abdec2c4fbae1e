#include "auth/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::auth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Url url(std::string_view text) {
  Result<Url> parsed = parse_url(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Url{};
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
  EXPECT_FALSE(
      parse_resource_metadata(R"({"resource":"https://a.example"})", url("https://a.example")));
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
                            url("https://a.example"));
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->registration_endpoint, "https://as.example/register");
  EXPECT_EQ(metadata->revocation_endpoint, "https://as.example/revoke");
  EXPECT_THAT(metadata->token_auth_methods, ElementsAre("none"));
  EXPECT_TRUE(metadata->has_s256);
  EXPECT_TRUE(metadata->accepts_client_metadata_url);
  EXPECT_TRUE(metadata->sends_issuer);
}

TEST(ServerMetadataTest, the_issuer_must_be_the_one_asked_for_byte_by_byte) {
  const Url server = url("https://a.example");
  for (const std::string_view issuer :
       {"https://attacker.example", "https://as.example/", "https://AS.example", ""}) {
    const auto metadata =
        parse_server_metadata(document(issuer), "https://as.example", IssuerRule::exact, server);
    ASSERT_FALSE(metadata) << issuer;
    EXPECT_THAT(metadata.error().message(), HasSubstr("issuer"));
  }
}

TEST(ServerMetadataTest, without_resource_metadata_another_path_of_the_same_origin_will_do) {
  const Url server = url("https://as.example/mcp");
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
      body, "http://localhost:1", IssuerRule::exact, url("http://127.0.0.1:2/mcp")));
  // A remote server must not make us talk to what listens here.
  EXPECT_FALSE(parse_server_metadata(
      body, "http://localhost:1", IssuerRule::exact, url("https://a.example/mcp")));
  EXPECT_FALSE(parse_server_metadata(
      document("https://as.example", R"(,"registration_endpoint":"http://as.example/register")"),
      "https://as.example",
      IssuerRule::exact,
      url("https://a.example")));
}

TEST(ServerMetadataTest, pkce_without_s256_is_refused_and_silence_is_not) {
  const Url server = url("https://a.example");
  EXPECT_FALSE(parse_server_metadata(
      document("https://as.example", R"(,"code_challenge_methods_supported":["plain"])"),
      "https://as.example",
      IssuerRule::exact,
      server));
  EXPECT_TRUE(parse_server_metadata(
      document("https://as.example"), "https://as.example", IssuerRule::exact, server));
}

TEST(ServerMetadataTest, servers_without_any_metadata_have_fixed_endpoints) {
  const ServerMetadata metadata = fixed_endpoints(url("http://localhost:3000/mcp"));
  EXPECT_EQ(metadata.authorization_endpoint, "http://localhost:3000/authorize");
  EXPECT_EQ(metadata.token_endpoint, "http://localhost:3000/token");
  EXPECT_EQ(metadata.registration_endpoint, "http://localhost:3000/register");
}

}  // namespace
}  // namespace pi_mcp::auth
