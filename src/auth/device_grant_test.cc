#include "auth/device_grant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/login_flow.h"
#include "http/form.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t start_ms = 1'700'000'000'000;
constexpr std::string_view grant_name = "urn:ietf:params:oauth:grant-type:device_code";

http::Answer answer(int status, std::string body) {
  http::Answer made;
  made.head.status = status;
  made.body = std::move(body);
  return made;
}

http::Answer refusal(const std::string& error) {
  return answer(400, R"({"error":")" + error + R"("})");
}

// What an authorization server hands out, with what a test wants different.
std::string code_json(const std::string& more = "") {
  return R"({"device_code":"the-device-code","user_code":"ABCD-1234",)"
         R"("verification_uri":"https://as.example/device","expires_in":600)" +
         more + "}";
}

class DeviceLogin : public testing::Test {
 protected:
  DeviceLogin() {
    setup.server_url = "https://mcp.example/mcp";
    setup.server = *http::parse_url(setup.server_url);
    setup.redirect_uri = "http://127.0.0.1:4711/callback";
    setup.state = "the-state";
    setup.verifier = "verifier-verifier-verifier-verifier-verifier";
    setup.device = DeviceUse::preferred;
  }

  // Up to the registration, or what comes without one.
  LoginFlow::Action to_registration() {
    flow.emplace(setup);
    flow->start(now);
    flow->on_answer(
        answer(
            200,
            R"({"resource":"https://mcp.example","authorization_servers":["https://as.example"],)"
            R"("scopes_supported":["a"]})"),
        now);
    return flow->on_answer(
        answer(200,
               R"({"issuer":"https://as.example","token_endpoint":"https://as.example/token",)"
               R"("registration_endpoint":"https://as.example/register",)"
               R"("device_authorization_endpoint":"https://as.example/device/auth")" +
                   browser_part + "}"),
        now);
  }
  LoginFlow::Action to_code_request() {
    to_registration();
    return flow->on_answer(answer(201, R"({"client_id":"c"})"), now);
  }
  LoginFlow::Action to_pause(const std::string& code = code_json()) {
    to_code_request();
    return flow->on_answer(answer(200, code), now);
  }
  // The next token request, after the pause that the machine wants.
  LoginFlow::Action after(Milliseconds pause) {
    now.value += pause.count();
    return flow->on_pause_over(now);
  }
  static http::Request fetched(const LoginFlow::Action& action) {
    const auto* fetch = std::get_if<LoginFlow::Fetch>(&action);
    EXPECT_NE(fetch, nullptr) << failure(action);
    return fetch == nullptr ? http::Request() : fetch->request;
  }
  static std::int64_t pause_ms(const LoginFlow::Action& action) {
    const auto* pause = std::get_if<LoginFlow::Pause>(&action);
    EXPECT_NE(pause, nullptr) << failure(action);
    return pause == nullptr ? 0 : pause->time.count();
  }
  static std::string failure(const LoginFlow::Action& action) {
    const auto* error = std::get_if<Error>(&action);
    return error == nullptr ? "" : error->message();
  }

  LoginFlow::Setup setup;
  std::string browser_part = R"(,"authorization_endpoint":"https://as.example/authorize",)"
                             R"("code_challenge_methods_supported":["S256"])";
  std::optional<LoginFlow> flow;
  EpochMs now{start_ms};
};

TEST_F(DeviceLogin, a_code_is_shown_and_asked_about_until_the_tokens_are_there) {
  const auto registered = json::Document::parse(fetched(to_registration()).body);
  ASSERT_TRUE(registered);
  EXPECT_THAT(registered->root().find("grant_types").raw(), HasSubstr(grant_name));
  const http::Request asked = fetched(flow->on_answer(answer(201, R"({"client_id":"c"})"), now));
  EXPECT_EQ(asked.url, "https://as.example/device/auth");
  EXPECT_EQ(http::form_value(asked.body, "client_id"), "c");
  EXPECT_EQ(http::form_value(asked.body, "scope"), "a");
  EXPECT_EQ(http::form_value(asked.body, "resource"), "https://mcp.example");

  auto action = flow->on_answer(answer(200, code_json(R"(,"interval":2)")), now);
  EXPECT_EQ(pause_ms(action), 2000);
  const DevicePrompt prompt = std::get<LoginFlow::Pause>(action).prompt.value_or(DevicePrompt());
  EXPECT_EQ(prompt.page, "https://as.example/device");
  EXPECT_EQ(prompt.code, "ABCD-1234");
  EXPECT_EQ(prompt.good_for, Milliseconds(600'000));

  const http::Request token = fetched(after(Milliseconds(2000)));
  EXPECT_EQ(token.url, "https://as.example/token");
  EXPECT_EQ(http::form_value(token.body, "grant_type"), grant_name);
  EXPECT_EQ(http::form_value(token.body, "device_code"), "the-device-code");
  EXPECT_EQ(http::form_value(token.body, "resource"), "https://mcp.example");
  action = flow->on_answer(refusal("authorization_pending"), now);
  EXPECT_EQ(pause_ms(action), 2000);
  EXPECT_FALSE(std::get<LoginFlow::Pause>(action).prompt) << "it is shown once";

  fetched(after(Milliseconds(2000)));
  action = flow->on_answer(answer(200, R"({"access_token":"at","refresh_token":"rt"})"), now);
  const auto* done = std::get_if<LoginFlow::Done>(&action);
  ASSERT_NE(done, nullptr) << failure(action);
  EXPECT_EQ(done->credentials.tokens->access, "at");
  EXPECT_EQ(done->credentials.client.id, "c");
}

TEST_F(DeviceLogin, a_server_that_wants_fewer_questions_or_has_a_problem_is_asked_less_often) {
  EXPECT_EQ(pause_ms(to_pause()), 5000) << "RFC 8628 section 3.2";
  fetched(after(Milliseconds(5000)));
  EXPECT_EQ(pause_ms(flow->on_answer(refusal("slow_down"), now)), 10'000);
  fetched(after(Milliseconds(10'000)));
  EXPECT_EQ(pause_ms(flow->on_answer(answer(503, ""), now)), 20'000);
  fetched(after(Milliseconds(20'000)));
  EXPECT_EQ(pause_ms(flow->on_unreachable(Error(ErrorCode::timed_out, "no answer"), now)), 40'000);
  fetched(after(Milliseconds(40'000)));
  EXPECT_EQ(pause_ms(flow->on_answer(refusal("authorization_pending"), now)), 40'000);
}

TEST_F(DeviceLogin, a_refusal_and_a_code_that_has_expired_end_it) {
  to_pause();
  fetched(after(Milliseconds(5000)));
  LoginFlow one = *flow;
  auto action = one.on_answer(
      answer(400, R"({"error":"access_denied","error_description":"not the-device-code"})"), now);
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::unauthorized);
  EXPECT_THAT(failure(action), HasSubstr("access_denied"));
  EXPECT_THAT(failure(action), Not(HasSubstr("the-device-code")));
  one = *flow;
  action = one.on_answer(refusal("expired_token"), now);
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::timed_out);

  flow->on_answer(refusal("authorization_pending"), now);
  action = after(Milliseconds(600'000));
  EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::timed_out);
}

TEST_F(DeviceLogin, no_server_keeps_us_waiting_for_longer_than_half_an_hour_or_busy) {
  const auto action =
      to_pause(R"({"device_code":"d","user_code":"u","verification_uri":"https://as.example/d",)"
               R"("expires_in":999999999999,"interval":0})");
  EXPECT_EQ(pause_ms(action), 1000);
  EXPECT_EQ(std::get<LoginFlow::Pause>(action).prompt->good_for, Milliseconds(1'800'000));
}

TEST_F(DeviceLogin, codes_and_pages_that_no_person_can_use_are_not_shown) {
  browser_part = "";
  for (const std::string code :
       {R"({"device_code":"d","user_code":"","verification_uri":"https://as.example/d"})",
        R"({"device_code":"d","user_code":"a\u001b[2J","verification_uri":"https://as.example/d"})",
        R"({"device_code":"d","user_code":"u"})",
        R"({"device_code":"d","user_code":"u","verification_uri":"http://as.example/d"})",
        R"({"device_code":"d","user_code":"u","verification_uri":"https://10.0.0.1/d"})"}) {
    const auto action = to_pause(code);
    ASSERT_TRUE(std::holds_alternative<Error>(action)) << code;
    EXPECT_EQ(std::get<Error>(action).code(), ErrorCode::protocol) << code;
  }
  const auto action = to_pause(code_json(R"(,"verification_uri_complete":"javascript:x")"));
  EXPECT_EQ(std::get<LoginFlow::Pause>(action).prompt->page_with_code, "");
}

TEST_F(DeviceLogin, where_this_client_gets_no_code_a_browser_is_used) {
  to_code_request();
  const auto action = flow->on_answer(refusal("unauthorized_client"), now);
  const auto* page = std::get_if<LoginFlow::Authorize>(&action);
  ASSERT_NE(page, nullptr) << failure(action);
  EXPECT_THAT(page->url, testing::StartsWith("https://as.example/authorize?"));
}

TEST_F(DeviceLogin, a_registration_without_codes_is_made_anew_once) {
  Credentials known;
  known.issuer = "https://as.example";
  known.requested_scope = "a";
  known.token_endpoint = "https://as.example/token";
  known.client.id = "old";
  known.client.source = ClientSource::registered;
  known.client.redirect_uri = setup.redirect_uri;
  setup.known = known;
  EXPECT_EQ(http::form_value(fetched(to_registration()).body, "client_id"), "old");
  const auto action = flow->on_answer(refusal("unauthorized_client"), now);
  EXPECT_EQ(fetched(action).url, "https://as.example/register");
}

TEST_F(DeviceLogin, a_server_that_registers_nobody_for_codes_is_asked_for_the_browser_alone) {
  to_registration();
  flow->on_answer(refusal("invalid_client_metadata"), now);  // without the scope
  const http::Request again = fetched(flow->on_answer(refusal("invalid_client_metadata"), now));
  EXPECT_THAT(again.body, Not(HasSubstr(grant_name)));
  EXPECT_TRUE(std::holds_alternative<LoginFlow::Authorize>(
      flow->on_answer(answer(201, R"({"client_id":"c"})"), now)));
}

TEST_F(DeviceLogin, a_browser_wins_unless_codes_are_all_that_the_server_offers) {
  setup.device = DeviceUse::when_needed;
  EXPECT_TRUE(std::holds_alternative<LoginFlow::Authorize>(to_code_request()));
  browser_part = "";
  EXPECT_EQ(fetched(to_code_request()).url, "https://as.example/device/auth");
  setup.device = DeviceUse::never;
  browser_part = R"(,"code_challenge_methods_supported":["S256"])";
  EXPECT_THAT(failure(to_registration()), HasSubstr("no authorization_endpoint"));
}

}  // namespace
}  // namespace pi_mcp::auth
