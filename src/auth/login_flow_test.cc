#include "auth/login_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/digest.h"
#include "http/form.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr EpochMs now{1'700'000'000'000};
constexpr std::string_view verifier = "verifier-verifier-verifier-verifier-verifier";

http::Answer answer(int status, std::string body = "") {
  http::Answer made;
  made.head.status = status;
  made.body = std::move(body);
  return made;
}

// Everything an authorisation server may say, with what a test wants different.
std::string metadata(std::string_view more = "") {
  return R"({"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",)"
         R"("token_endpoint":"https://as.example/token",)"
         R"("registration_endpoint":"https://as.example/register",)"
         R"("revocation_endpoint":"https://as.example/revoke",)"
         R"("code_challenge_methods_supported":["S256"])" +
         std::string(more) + "}";
}

constexpr std::string_view resource =
    R"({"resource":"https://mcp.example","authorization_servers":["https://as.example"],)"
    R"("scopes_supported":["a","b"]})";

class LoginFlowTest : public testing::Test {
 protected:
  LoginFlowTest() {
    setup.server_url = "https://mcp.example/mcp";
    setup.server = *http::parse_url(setup.server_url);
    setup.redirect_uri = "http://127.0.0.1:4711/callback";
    setup.state = "the-state";
    setup.verifier = verifier;
    setup.assertion_id = "jti-1";
  }

  LoginFlow& flow() {
    if (!flow_) {
      flow_.emplace(setup);
    }
    return *flow_;
  }

  static const http::Request& fetched(const LoginFlow::Action& action) {
    static const http::Request none;
    const auto* fetch = std::get_if<LoginFlow::Fetch>(&action);
    EXPECT_NE(fetch, nullptr) << failure(action);
    return fetch == nullptr ? none : fetch->request;
  }
  static std::string url(const LoginFlow::Action& action) {
    const auto* authorize = std::get_if<LoginFlow::Authorize>(&action);
    EXPECT_NE(authorize, nullptr) << failure(action);
    return authorize == nullptr ? "" : authorize->url;
  }
  static std::string query(const LoginFlow::Action& action) {
    const std::string opened = url(action);
    return opened.substr(opened.find('?') + 1);
  }
  static std::string failure(const LoginFlow::Action& action) {
    const auto* error = std::get_if<Error>(&action);
    return error == nullptr ? "" : error->message();
  }

  // Up to the point where a person is asked.
  LoginFlow::Action to_authorization(std::string_view more = "") {
    flow().start(now);
    flow().on_answer(answer(200, std::string(resource)), now);
    const auto registering = flow().on_answer(answer(200, metadata(more)), now);
    const auto* fetch = std::get_if<LoginFlow::Fetch>(&registering);
    if (fetch == nullptr || !fetch->request.url.ends_with("/register")) {
      return registering;
    }
    return flow().on_answer(answer(201, R"({"client_id":"new-client"})"), now);
  }

  LoginFlow::Setup setup;

 private:
  std::optional<LoginFlow> flow_;
};

TEST_F(LoginFlowTest, from_challenge_to_tokens) {
  setup.demand = Demand{
      .resource_metadata = "https://mcp.example/custom/meta", .scope = "mcp:basic", .error = ""};
  EXPECT_EQ(fetched(flow().start(now)).url, "https://mcp.example/custom/meta");
  auto action = flow().on_answer(answer(200, std::string(resource)), now);
  EXPECT_EQ(fetched(action).url, "https://as.example/.well-known/oauth-authorization-server");
  action = flow().on_answer(answer(200, metadata()), now);
  EXPECT_EQ(fetched(action).url, "https://as.example/register");
  const auto body = json::Document::parse(fetched(action).body);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->root().find("redirect_uris").raw(), R"(["http://127.0.0.1:4711/callback"])");
  EXPECT_EQ(body->root().find("grant_types").raw(), R"(["authorization_code","refresh_token"])");
  EXPECT_TRUE(body->root().find("application_type").equals("native"));
  EXPECT_TRUE(body->root().find("token_endpoint_auth_method").equals("none"));
  EXPECT_TRUE(body->root().find("scope").equals("mcp:basic"));

  action = flow().on_answer(answer(201, R"({"client_id":"c 1"})"), now);
  const std::string asked = query(action);
  EXPECT_EQ(http::form_value(asked, "response_type"), "code");
  EXPECT_EQ(http::form_value(asked, "client_id"), "c 1");
  EXPECT_EQ(http::form_value(asked, "redirect_uri"), "http://127.0.0.1:4711/callback");
  EXPECT_EQ(http::form_value(asked, "code_challenge"), base64url_encoded(sha256(verifier)));
  EXPECT_EQ(http::form_value(asked, "code_challenge_method"), "S256");
  EXPECT_EQ(http::form_value(asked, "state"), "the-state");
  EXPECT_EQ(http::form_value(asked, "resource"), "https://mcp.example");
  EXPECT_EQ(http::form_value(asked, "scope"), "mcp:basic");

  action = flow().on_callback("code=the-code&state=the-state&iss=https%3A%2F%2Fas.example", now);
  const http::Request token = fetched(action);
  EXPECT_EQ(token.url, "https://as.example/token");
  EXPECT_EQ(http::form_value(token.body, "grant_type"), "authorization_code");
  EXPECT_EQ(http::form_value(token.body, "code"), "the-code");
  EXPECT_EQ(http::form_value(token.body, "code_verifier"), verifier);
  EXPECT_EQ(http::form_value(token.body, "resource"), "https://mcp.example");
  EXPECT_EQ(http::form_value(token.body, "client_id"), "c 1");

  action = flow().on_answer(
      answer(
          200,
          R"({"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt"})"),
      now);
  const auto* done = std::get_if<LoginFlow::Done>(&action);
  ASSERT_NE(done, nullptr) << failure(action);
  EXPECT_EQ(done->credentials.issuer, "https://as.example");
  EXPECT_EQ(done->credentials.tokens->access, "at");
  EXPECT_EQ(done->credentials.tokens->refresh, "rt");
  EXPECT_EQ(done->credentials.tokens->scope, "mcp:basic");
  EXPECT_EQ(done->credentials.tokens->stale_at->value, now.value + 3'540'000);
  EXPECT_EQ(done->credentials.revocation_endpoint, "https://as.example/revoke");
}

TEST_F(LoginFlowTest, without_a_challenge_both_places_are_tried_and_pages_for_people_do_not_count) {
  EXPECT_EQ(fetched(flow().start(now)).url,
            "https://mcp.example/.well-known/oauth-protected-resource/mcp");
  const auto action = flow().on_answer(answer(200, "<!doctype html>"), now);
  EXPECT_EQ(fetched(action).url, "https://mcp.example/.well-known/oauth-protected-resource");
}

TEST_F(LoginFlowTest, the_address_in_the_challenge_is_the_only_one_tried) {
  setup.demand = Demand{.resource_metadata = "https://mcp.example/meta", .scope = {}, .error = ""};
  flow().start(now);
  // Without resource metadata the server's origin is its own authorization server.
  EXPECT_EQ(fetched(flow().on_answer(answer(404), now)).url,
            "https://mcp.example/.well-known/oauth-authorization-server");
}

TEST_F(LoginFlowTest, without_any_metadata_there_are_fixed_endpoints_and_no_resource_parameter) {
  flow().start(now);
  for (int i = 0; i < 3; ++i) {
    flow().on_answer(answer(404), now);
  }
  auto action = flow().on_answer(answer(404), now);
  EXPECT_EQ(fetched(action).url, "https://mcp.example/register");
  action = flow().on_answer(answer(201, R"({"client_id":"c"})"), now);
  EXPECT_THAT(url(action), testing::StartsWith("https://mcp.example/authorize?"));
  EXPECT_EQ(http::form_value(query(action), "resource"), "");
}

TEST_F(LoginFlowTest, a_server_that_only_takes_a_token_is_told_from_one_that_refuses_to_register) {
  flow().start(now);
  for (int i = 0; i < 4; ++i) {
    flow().on_answer(answer(404), now);
  }
  for (const int status : {404, 405, 401, 200}) {
    LoginFlow one = flow();
    const auto action = one.on_answer(answer(status, "<!doctype html>"), now);
    EXPECT_THAT(failure(action), HasSubstr(R"("bearerToken" or "headers")")) << status;
    EXPECT_THAT(failure(action), Not(HasSubstr("oauth.clientId"))) << status;
  }
  const auto action = flow().on_answer(answer(400, R"({"error":"invalid_redirect_uri"})"), now);
  EXPECT_THAT(failure(action), HasSubstr("invalid_redirect_uri"));
  EXPECT_THAT(failure(action), Not(HasSubstr("bearerToken")));
}

TEST_F(LoginFlowTest, a_resource_of_somebody_else_ends_the_login_before_anything_is_opened) {
  flow().start(now);
  const auto action = flow().on_answer(
      answer(200,
             R"({"resource":"https://evil.example/mcp","authorization_servers":["https://x"]})"),
      now);
  EXPECT_THAT(failure(action), HasSubstr("https://evil.example/mcp"));
}

TEST_F(LoginFlowTest, a_server_with_a_problem_is_not_taken_for_one_without_metadata) {
  flow().start(now);
  const auto action = flow().on_answer(answer(503), now);
  EXPECT_THAT(failure(action), HasSubstr("503"));
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::unavailable);
}

TEST_F(LoginFlowTest, metadata_of_another_issuer_is_not_used) {
  flow().start(now);
  flow().on_answer(answer(200, std::string(resource)), now);
  const auto action = flow().on_answer(
      answer(
          200,
          R"({"issuer":"https://attacker.example","token_endpoint":"https://attacker.example/t",)"
          R"("authorization_endpoint":"https://attacker.example/a"})"),
      now);
  EXPECT_THAT(failure(action), HasSubstr("not trusted"));
}

TEST_F(LoginFlowTest, a_callback_of_another_login_is_refused) {
  to_authorization();
  EXPECT_FALSE(flow().is_own("code=x&state=another"));
  EXPECT_FALSE(flow().is_own("code=x"));
  EXPECT_TRUE(flow().is_own("code=x&state=the-state"));
  EXPECT_THAT(failure(flow().on_callback("code=x&state=another", now)), HasSubstr("another login"));
}

TEST_F(LoginFlowTest, the_issuer_of_a_callback_must_be_the_right_one) {
  for (const std::string_view issuer :
       {"https://evil.example", "https://as.example/", "https://AS.example"}) {
    LoginFlow other(setup);
    other.start(now);
    other.on_answer(answer(200, std::string(resource)), now);
    other.on_answer(answer(200, metadata()), now);
    other.on_answer(answer(201, R"({"client_id":"c"})"), now);
    const auto action =
        other.on_callback("code=x&state=the-state&iss=" + http::form_encoded(issuer), now);
    EXPECT_THAT(failure(action), HasSubstr("does not come from")) << issuer;
  }
}

TEST_F(LoginFlowTest, a_promised_issuer_must_be_there_also_in_a_refusal) {
  to_authorization(R"(,"authorization_response_iss_parameter_supported":true)");
  EXPECT_THAT(failure(flow().on_callback("error=access_denied&state=the-state", now)),
              HasSubstr("does not come from"));
}

TEST_F(LoginFlowTest, a_refusal_is_told_without_the_code_or_the_state) {
  to_authorization();
  const std::string told = failure(flow().on_callback(
      "error=access_denied&error_description=no+the-state+here&state=the-state", now));
  EXPECT_THAT(told, HasSubstr("access_denied (no *** here)"));
}

TEST_F(LoginFlowTest, a_refused_token_request_does_not_repeat_what_was_sent) {
  to_authorization();
  flow().on_callback("code=secret-code&state=the-state", now);
  const auto action = flow().on_answer(
      answer(400, R"({"error":"invalid_grant","error_description":"bad code secret-code"})"), now);
  EXPECT_THAT(failure(action), HasSubstr("invalid_grant"));
  EXPECT_THAT(failure(action), Not(HasSubstr("secret-code")));
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::unauthorized);
}

TEST_F(LoginFlowTest, all_supported_scopes_are_asked_for_when_the_challenge_names_none) {
  EXPECT_EQ(http::form_value(query(to_authorization()), "scope"), "a b");
}

TEST_F(LoginFlowTest, offline_access_is_asked_for_only_where_it_is_listed_and_with_consent) {
  const std::string asked = query(to_authorization(R"(,"scopes_supported":["offline_access"])"));
  EXPECT_EQ(http::form_value(asked, "scope"), "a b offline_access");
  EXPECT_EQ(http::form_value(asked, "prompt"), "consent");
}

TEST_F(LoginFlowTest, for_more_rights_the_old_ones_are_kept) {
  setup.known.emplace();
  setup.known->issuer = "https://as.example";
  setup.known->requested_scope = "mcp:basic";
  setup.known->tokens = Tokens{
      .access = "old", .refresh = "", .scope = "granted", .stale_at = {}, .login_ends_at = {}};
  setup.demand =
      Demand{.resource_metadata = {}, .scope = "mcp:write", .error = "insufficient_scope"};
  EXPECT_EQ(http::form_value(query(to_authorization()), "scope"), "mcp:basic mcp:write granted");
}

TEST_F(LoginFlowTest, a_configured_client_needs_no_registration_and_its_secret_goes_to_the_header) {
  setup.settings.client_id = "id";
  setup.settings.client_secret = "s:1";
  to_authorization();
  const auto action = flow().on_callback("code=x&state=the-state", now);
  const http::Request& request = fetched(action);
  const auto header = std::find_if(
      request.headers.begin(), request.headers.end(), [](const http::Header& candidate) {
        return candidate.name == "Authorization";
      });
  ASSERT_NE(header, request.headers.end());
  EXPECT_EQ(header->value, "Basic " + base64_encoded("id:s%3A1"));
  EXPECT_THAT(request.body, Not(HasSubstr("s%3A1")));
}

TEST_F(LoginFlowTest, a_secret_goes_into_the_body_where_only_that_is_supported) {
  setup.settings.client_id = "id";
  setup.settings.client_secret = "s1";
  to_authorization(R"(,"token_endpoint_auth_methods_supported":["client_secret_post"])");
  const auto action = flow().on_callback("code=x&state=the-state", now);
  EXPECT_EQ(http::form_value(fetched(action).body, "client_secret"), "s1");
}

TEST_F(LoginFlowTest, a_configured_client_is_not_shown_to_another_authorization_server) {
  setup.settings.client_id = "id";
  setup.known.emplace();
  setup.known->client.id = "id";
  setup.known->issuer = "https://first.example";
  EXPECT_THAT(failure(to_authorization()), HasSubstr("https://first.example"));
}

TEST_F(LoginFlowTest, a_metadata_url_is_the_client_id_where_the_server_takes_one) {
  setup.settings.client_metadata_url = "https://client.example/meta.json";
  const auto action = to_authorization(R"(,"client_id_metadata_document_supported":true)");
  EXPECT_EQ(http::form_value(query(action), "client_id"), "https://client.example/meta.json");
}

TEST_F(LoginFlowTest, a_registration_is_used_again_with_its_issuer_and_redirect_address_only) {
  setup.known.emplace();
  setup.known->issuer = "https://as.example";
  setup.known->requested_scope = "a b";
  setup.known->client.id = "known-client";
  setup.known->client.source = ClientSource::registered;
  setup.known->client.redirect_uri = setup.redirect_uri;
  EXPECT_EQ(http::form_value(query(to_authorization()), "client_id"), "known-client");

  setup.known->issuer = "https://other.example";
  LoginFlow other(setup);
  other.start(now);
  other.on_answer(answer(200, std::string(resource)), now);
  const auto action = other.on_answer(answer(200, metadata()), now);
  EXPECT_EQ(fetched(action).url, "https://as.example/register");
}

TEST_F(LoginFlowTest, for_a_scope_that_it_was_not_made_with_a_registration_is_made_anew) {
  setup.known.emplace();
  setup.known->issuer = "https://as.example";
  setup.known->client.id = "known-client";
  setup.known->client.source = ClientSource::registered;
  setup.known->client.redirect_uri = setup.redirect_uri;
  setup.known->requested_scope = "a b c";
  EXPECT_EQ(http::form_value(query(to_authorization()), "client_id"), "known-client");

  setup.known->requested_scope = "a";
  LoginFlow wider(setup);
  wider.start(now);
  wider.on_answer(answer(200, std::string(resource)), now);
  const auto action = wider.on_answer(answer(200, metadata()), now);
  EXPECT_THAT(fetched(action).body, HasSubstr(R"("scope":"a b")"));
}

TEST_F(LoginFlowTest, a_registration_names_the_configured_scope_unless_the_server_does_not_let_it) {
  setup.settings.scope = "mine";
  flow().start(now);
  flow().on_answer(answer(200, std::string(resource)), now);
  auto action = flow().on_answer(answer(200, metadata()), now);
  EXPECT_THAT(fetched(action).body, HasSubstr(R"("scope":"mine")"));
  const auto refusal = answer(400, R"({"error":"invalid_client_metadata"})");
  action = flow().on_answer(refusal, now);
  EXPECT_EQ(fetched(action).url, "https://as.example/register");
  EXPECT_THAT(fetched(action).body, Not(HasSubstr("scope")));
  LoginFlow again = flow();
  action = flow().on_answer(answer(201, R"({"client_id":"c"})"), now);
  EXPECT_EQ(http::form_value(query(action), "scope"), "mine");
  EXPECT_THAT(failure(again.on_answer(refusal, now)), HasSubstr("invalid_client_metadata"));
}

// How a client that registers shows itself: by the first of our methods in the server's list, if
// the answer to the registration does not say otherwise.
TEST_F(LoginFlowTest, the_method_is_one_that_the_server_lists_and_the_registration_confirms) {
  struct Case {
    std::string listed;
    std::string asked;
    std::string answered;
    std::string used;  // "header", "body" or "none"
  };
  const std::string both = R"("client_secret_post","client_secret_basic")";
  const std::string basic_first = R"("private_key_jwt","client_secret_basic","client_secret_post")";
  for (const Case& row :
       {Case{both, "client_secret_post", "", "body"},
        Case{both, "client_secret_post", "client_secret_post", "body"},
        Case{both, "client_secret_post", "client_secret_basic", "header"},
        Case{both, "client_secret_post", "private_key_jwt", "body"},
        Case{basic_first, "client_secret_basic", "", "header"},
        Case{R"("client_secret_post","none")", "none", "none", "none"},
        Case{R"("client_secret_post","none")", "none", "", "body"},
        Case{R"("client_secret_post")", "client_secret_post", "client_secret_basic", "body"}}) {
    LoginFlow one(setup);
    one.start(now);
    one.on_answer(answer(200, std::string(resource)), now);
    auto action = one.on_answer(
        answer(200, metadata(R"(,"token_endpoint_auth_methods_supported":[)" + row.listed + "]")),
        now);
    EXPECT_THAT(fetched(action).body,
                HasSubstr(R"("token_endpoint_auth_method":")" + row.asked + "\""));
    one.on_answer(answer(201,
                         R"({"client_id":"c","client_secret":"s1",)"
                         R"("token_endpoint_auth_method":")" +
                             row.answered + "\"}"),
                  now);
    action = one.on_callback("code=x&state=the-state", now);
    const http::Request& request = fetched(action);
    const std::string shown = request.headers.back().name == "Authorization"            ? "header"
                              : http::form_value(request.body, "client_secret") == "s1" ? "body"
                                                                                        : "none";
    EXPECT_EQ(shown, row.used) << row.listed << " " << row.answered;
    EXPECT_EQ(http::form_value(request.body, "client_id"), shown == "header" ? "" : "c");
  }
}

TEST_F(LoginFlowTest, a_server_that_looks_for_the_id_in_the_body_finds_it_there_at_the_second_try) {
  setup.settings.client_id = "id";
  setup.settings.client_secret = "s1";
  for (const std::string_view complaint :
       {R"({"error":"unauthorized_client","error_description":"Missing client_id"})",
        R"({"code":"missing","message":"Missing parameter(s): client_id"})"}) {
    LoginFlow one(setup);
    one.start(now);
    one.on_answer(answer(200, std::string(resource)), now);
    one.on_answer(answer(200, metadata()), now);
    auto action = one.on_callback("code=x&state=the-state", now);
    EXPECT_EQ(http::form_value(fetched(action).body, "client_id"), "");
    action = one.on_answer(answer(401, std::string(complaint)), now);
    const http::Request& second = fetched(action);
    EXPECT_EQ(http::form_value(second.body, "client_id"), "id");
    EXPECT_EQ(http::form_value(second.body, "code"), "x");
    EXPECT_EQ(http::form_value(second.body, "resource"), "https://mcp.example");
    EXPECT_EQ(second.headers.back().value, "Basic " + base64_encoded("id:s1"));
    LoginFlow refused = one;
    EXPECT_THAT(failure(refused.on_answer(answer(401, R"({"error":"invalid_client"})"), now)),
                HasSubstr("invalid_client"));
    action = one.on_answer(answer(200, R"({"access_token":"at","token_type":"Bearer"})"), now);
    ASSERT_TRUE(std::holds_alternative<LoginFlow::Done>(action)) << failure(action);
    // Renewals and the logout do the same at once.
    const Credentials& made = std::get<LoginFlow::Done>(action).credentials;
    const Result<Credentials> stored = parse_credentials(to_json(made));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->client.auth, ClientAuth::basic_and_id);
  }
}

TEST_F(LoginFlowTest, a_registration_that_the_server_forgot_is_made_anew_once) {
  setup.known.emplace();
  setup.known->issuer = "https://as.example";
  setup.known->requested_scope = "a b";
  setup.known->client.id = "forgotten";
  setup.known->client.source = ClientSource::registered;
  setup.known->client.redirect_uri = setup.redirect_uri;
  to_authorization();
  flow().on_callback("code=x&state=the-state", now);
  auto action = flow().on_answer(answer(401, R"({"error":"invalid_client"})"), now);
  EXPECT_EQ(fetched(action).url, "https://as.example/register");
  action = flow().on_answer(answer(201, R"({"client_id":"again"})"), now);
  EXPECT_EQ(http::form_value(query(action), "client_id"), "again");
  flow().on_callback("code=y&state=the-state", now);
  action = flow().on_answer(answer(401, R"({"error":"invalid_client"})"), now);
  EXPECT_THAT(failure(action), HasSubstr("invalid_client"));
}

TEST_F(LoginFlowTest, a_server_that_registers_nobody_says_what_to_configure) {
  flow().start(now);
  flow().on_answer(answer(200, std::string(resource)), now);
  const auto action = flow().on_answer(
      answer(200,
             R"({"issuer":"https://as.example","authorization_endpoint":"https://as.example/a",)"
             R"("token_endpoint":"https://as.example/t",)"
             R"("code_challenge_methods_supported":["S256"]})"),
      now);
  EXPECT_THAT(failure(action), HasSubstr("oauth.clientId"));
  EXPECT_THAT(failure(action), Not(HasSubstr("clientMetadataUrl")));
}

TEST_F(LoginFlowTest, a_server_of_client_metadata_documents_asks_for_the_address_of_one) {
  flow().start(now);
  flow().on_answer(answer(200, std::string(resource)), now);
  const auto action = flow().on_answer(
      answer(200,
             R"({"issuer":"https://as.example","authorization_endpoint":"https://as.example/a",)"
             R"("token_endpoint":"https://as.example/t",)"
             R"("client_id_metadata_document_supported":true,)"
             R"("code_challenge_methods_supported":["S256"]})"),
      now);
  EXPECT_THAT(failure(action), HasSubstr("oauth.clientMetadataUrl"));
}

TEST_F(LoginFlowTest, client_credentials_ask_nobody) {
  setup.settings.grant = Grant::client_credentials;
  setup.settings.client_id = "id";
  setup.settings.client_secret = "s";
  setup.redirect_uri = "";
  const auto token = to_authorization();
  EXPECT_EQ(http::form_value(fetched(token).body, "grant_type"), "client_credentials");
  EXPECT_EQ(http::form_value(fetched(token).body, "resource"), "https://mcp.example");
  EXPECT_EQ(http::form_value(fetched(token).body, "scope"), "a b");
}

class CrossAppTest : public LoginFlowTest {
 protected:
  CrossAppTest() {
    setup.settings.grant = Grant::cross_app_access;
    setup.settings.client_id = "id";
    setup.settings.client_secret = "s";
    setup.settings.identity_provider = {.issuer = "https://idp.example",
                                        .token_endpoint = "https://idp.example/token",
                                        .client_id = "other-id",
                                        .client_secret = "other-secret"};
    setup.identity_token = "identity-token";
    setup.redirect_uri = "";
  }

  static http::Answer assertion(std::string_view type) {
    return answer(200,
                  R"({"access_token":"the-assertion","token_type":"N_A","issued_token_type":")" +
                      std::string(type) + R"("})");
  }

  static constexpr std::string_view assertion_type = "urn:ietf:params:oauth:token-type:id-jag";
};

TEST_F(CrossAppTest, an_identity_token_becomes_an_assertion_and_that_a_token) {
  const auto exchange = to_authorization();
  const http::Request& asked = fetched(exchange);
  EXPECT_EQ(asked.url, "https://idp.example/token");
  for (const auto& [name, value] :
       {std::pair("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
        std::pair("requested_token_type", "urn:ietf:params:oauth:token-type:id-jag"),
        std::pair("subject_token", "identity-token"),
        std::pair("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        std::pair("audience", "https://as.example"),
        std::pair("resource", "https://mcp.example"),
        std::pair("scope", "a b"),
        std::pair("client_id", "")}) {
    EXPECT_EQ(http::form_value(asked.body, name), value) << name;
  }
  EXPECT_EQ(asked.headers.back().value, "Basic " + base64_encoded("other-id:other-secret"));

  auto action = flow().on_answer(assertion(assertion_type), now);
  const http::Request& redeemed = fetched(action);
  EXPECT_EQ(redeemed.url, "https://as.example/token");
  EXPECT_EQ(http::form_value(redeemed.body, "grant_type"),
            "urn:ietf:params:oauth:grant-type:jwt-bearer");
  EXPECT_EQ(http::form_value(redeemed.body, "assertion"), "the-assertion");
  EXPECT_EQ(http::form_value(redeemed.body, "scope"), "a b");
  EXPECT_EQ(redeemed.headers.back().value, "Basic " + base64_encoded("id:s"));

  action = flow().on_answer(answer(200, R"({"access_token":"at","token_type":"Bearer"})"), now);
  ASSERT_TRUE(std::holds_alternative<LoginFlow::Done>(action)) << failure(action);
  EXPECT_EQ(std::get<LoginFlow::Done>(action).credentials.issuer, "https://as.example");
}

TEST_F(CrossAppTest, the_token_endpoint_of_the_company_is_found_by_its_issuer) {
  setup.settings.identity_provider.token_endpoint = "";
  setup.settings.identity_provider.client_secret = "";
  EXPECT_EQ(fetched(to_authorization()).url,
            "https://idp.example/.well-known/oauth-authorization-server");
  EXPECT_EQ(fetched(flow().on_answer(answer(404), now)).url,
            "https://idp.example/.well-known/openid-configuration");
  const auto action = flow().on_answer(
      answer(200,
             R"({"issuer":"https://idp.example","token_endpoint":"https://idp.example/oauth2"})"),
      now);
  EXPECT_EQ(fetched(action).url, "https://idp.example/oauth2");
  EXPECT_EQ(http::form_value(fetched(action).body, "client_id"), "other-id");
}

TEST_F(CrossAppTest, a_company_that_cannot_be_found_or_is_somebody_else_gets_no_identity_token) {
  setup.settings.identity_provider.token_endpoint = "";
  to_authorization();
  flow().on_answer(answer(404), now);
  EXPECT_THAT(failure(flow().on_answer(answer(404), now)), HasSubstr("oauth.idp.tokenEndpoint"));

  LoginFlow other(setup);
  other.start(now);
  other.on_answer(answer(200, std::string(resource)), now);
  other.on_answer(answer(200, metadata()), now);
  EXPECT_THAT(failure(other.on_answer(
                  answer(200, R"({"issuer":"https://x","token_endpoint":"https://x/t"})"), now)),
              HasSubstr("not trusted"));
}

TEST_F(CrossAppTest, identity_tokens_are_not_sent_over_plain_http) {
  setup.settings.identity_provider.token_endpoint = "http://idp.example/token";
  EXPECT_THAT(failure(to_authorization()), HasSubstr("not an https URL"));
}

TEST_F(CrossAppTest, a_company_that_does_not_agree_ends_the_login_without_secrets_in_the_message) {
  to_authorization();
  const auto action = flow().on_answer(
      answer(400,
             R"({"error":"invalid_grant","error_description":"identity-token of other-id:)"
             R"(other-secret )" +
                 base64_encoded("other-id:other-secret") + R"("})"),
      now);
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::unauthorized);
  EXPECT_THAT(failure(action), HasSubstr("invalid_grant (*** of other-id:*** ***)"));
}

TEST_F(CrossAppTest, an_assertion_that_the_server_refuses_is_not_shown) {
  to_authorization();
  flow().on_answer(assertion(assertion_type), now);
  const auto action = flow().on_answer(
      answer(400, R"({"error":"invalid_grant","error_description":"bad the-assertion"})"), now);
  EXPECT_THAT(failure(action), HasSubstr("invalid_grant (bad ***)"));
}

TEST_F(CrossAppTest, another_kind_of_token_is_not_taken_for_an_assertion) {
  to_authorization();
  EXPECT_THAT(
      failure(flow().on_answer(assertion("urn:ietf:params:oauth:token-type:access_token"), now)),
      HasSubstr("may not support cross-app access"));
}

TEST_F(CrossAppTest, what_is_not_configured_is_named) {
  const auto told = [this] {
    LoginFlow incomplete(setup);
    incomplete.start(now);
    incomplete.on_answer(answer(200, std::string(resource)), now);
    return failure(incomplete.on_answer(answer(200, metadata()), now));
  };
  setup.identity_token = "";
  EXPECT_THAT(told(), HasSubstr("oauth.idp.idToken"));
  setup.settings.identity_provider.client_id = "";
  EXPECT_THAT(told(), HasSubstr("oauth.idp.clientId"));
  setup.settings.identity_provider.token_endpoint = "";
  setup.settings.identity_provider.issuer = "";
  EXPECT_THAT(told(), HasSubstr("oauth.idp.issuer"));
  setup.settings.client_id = "";
  EXPECT_THAT(told(), HasSubstr("oauth.clientId"));
}

TEST_F(LoginFlowTest, configured_parameters_cannot_replace_those_of_the_flow) {
  setup.settings.authorization_params = {{"state", "x"}, {"audience", "y"}};
  const std::string asked = query(to_authorization());
  EXPECT_EQ(http::form_value(asked, "state"), "the-state");
  EXPECT_EQ(http::form_value(asked, "audience"), "y");
  EXPECT_THAT(asked, Not(HasSubstr("state=x")));
}

TEST_F(LoginFlowTest, what_the_server_names_may_not_lead_into_this_network) {
  setup.demand =
      Demand{.resource_metadata = "https://127.0.0.1:8443/admin", .scope = {}, .error = ""};
  EXPECT_THAT(failure(flow().start(now)), HasSubstr("https://127.0.0.1:8443"));
  setup.demand.reset();
  for (const std::string issuer : {"https://localhost:8443",
                                   "https://10.0.0.1",
                                   "https://169.254.169.254",
                                   "http://as.example"}) {
    LoginFlow other(setup);
    other.start(now);
    const auto action = other.on_answer(
        answer(200,
               R"({"resource":"https://mcp.example","authorization_servers":[")" + issuer + "\"]}"),
        now);
    EXPECT_THAT(failure(action), HasSubstr("\"" + issuer + "\"")) << issuer;
  }
}

TEST_F(LoginFlowTest, requests_to_what_others_named_are_checked_where_they_lead) {
  EXPECT_FALSE(fetched(flow().start(now)).named_under) << "of the server's own origin";
  auto action = flow().on_answer(answer(200, std::string(resource)), now);
  EXPECT_TRUE(fetched(action).named_under);
  action = flow().on_answer(answer(200, metadata()), now);
  EXPECT_TRUE(fetched(action).named_under) << "registration";
  flow().on_answer(answer(201, R"({"client_id":"c"})"), now);
  action = flow().on_callback("code=x&state=the-state", now);
  EXPECT_TRUE(fetched(action).named_under) << "token";
}

std::string metadata_without_pkce() {
  return R"({"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",)"
         R"("token_endpoint":"https://as.example/token",)"
         R"("registration_endpoint":"https://as.example/register"})";
}

TEST_F(LoginFlowTest,
       metadata_that_does_not_speak_of_pkce_is_refused_unless_the_user_vouches_for_it) {
  flow().start(now);
  flow().on_answer(answer(200, std::string(resource)), now);
  EXPECT_THAT(failure(flow().on_answer(answer(200, metadata_without_pkce()), now)),
              HasSubstr("oauth.assumePkce"));
  setup.settings.assume_pkce = true;
  LoginFlow vouched(setup);
  vouched.start(now);
  vouched.on_answer(answer(200, std::string(resource)), now);
  EXPECT_EQ(fetched(vouched.on_answer(answer(200, metadata_without_pkce()), now)).url,
            "https://as.example/register");
}

TEST_F(LoginFlowTest, configured_metadata_cannot_send_the_code_somewhere_else) {
  setup.settings.server_metadata_url = "https://evil.example/meta";
  EXPECT_EQ(fetched(flow().start(now)).url, "https://evil.example/meta");
  const std::string mixed =
      R"({"issuer":"https://as.example","authorization_endpoint":"https://as.example/authorize",)"
      R"("token_endpoint":"https://evil.example/token","code_challenge_methods_supported":["S256"]})";
  const std::string refused = failure(flow().on_answer(answer(200, mixed), now));
  EXPECT_THAT(refused, HasSubstr("https://evil.example"));
  EXPECT_THAT(refused, HasSubstr("https://as.example"));
  setup.settings.any_issuer = true;
  setup.settings.client_id = "mine";
  LoginFlow trusted(setup);
  trusted.start(now);
  EXPECT_THAT(url(trusted.on_answer(answer(200, mixed), now)),
              testing::StartsWith("https://as.example/authorize?"));
}

TEST_F(LoginFlowTest, a_registration_is_not_shown_at_another_origin_that_claims_its_issuer) {
  setup.known.emplace();
  setup.known->issuer = "https://as.example";
  setup.known->token_endpoint = "https://as.example/token";
  setup.known->client = {.id = "known",
                         .secret = "known-secret",
                         .auth = ClientAuth::basic,
                         .source = ClientSource::registered,
                         .redirect_uri = setup.redirect_uri};
  setup.settings.server_metadata_url = "https://evil.example/meta";
  flow().start(now);
  const auto action =
      flow().on_answer(answer(200,
                              R"({"issuer":"https://as.example",)"
                              R"("authorization_endpoint":"https://evil.example/authorize",)"
                              R"("token_endpoint":"https://evil.example/token",)"
                              R"("registration_endpoint":"https://evil.example/register",)"
                              R"("code_challenge_methods_supported":["S256"]})"),
                       now);
  EXPECT_EQ(fetched(action).url, "https://evil.example/register");
}

TEST_F(LoginFlowTest, a_server_on_plain_http_gets_no_login) {
  setup.server_url = "http://mcp.example/mcp";
  setup.server = *http::parse_url(setup.server_url);
  EXPECT_THAT(failure(flow().start(now)), HasSubstr("https"));
}

}  // namespace
}  // namespace pi_mcp::auth
