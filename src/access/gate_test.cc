#include "access/gate.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::access {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr EpochMs today{1'795'660'200'000};  // 2026-11-26 02:30:00 UTC
constexpr std::uint32_t own_user = 1000;
constexpr Peer own_process{.is_unix = false, .is_here = true, .user = own_user};
constexpr Peer over_unix{.is_unix = true, .is_here = true, .user = own_user};
constexpr Peer elsewhere{.is_unix = false, .is_here = false, .user = std::nullopt};

class KnownTokens : public TokenLookUp {
 public:
  TokenFound find(std::string_view bearer, EpochMs at) override {
    ++asked;
    EXPECT_EQ(at, today);
    using enum TokenFound::What;
    if (bearer == "good") {
      return {.what = good, .principal = principal};
    }
    if (const auto fault = faults.find(std::string(bearer)); fault != faults.end()) {
      const bool waits = fault->second >= TokenFault::no_keys;
      return {.what = waits ? waiting : refused, .principal = nullptr, .fault = fault->second};
    }
    return bearer == "old" ? TokenFound{.what = expired, .principal = principal} : TokenFound();
  }

  [[nodiscard]] std::string challenge(std::string_view target) const override {
    return signs_in ? "at=\"" + std::string(target) + "\"" : "";
  }
  [[nodiscard]] std::string challenge_for_more(const Principal& who,
                                               std::string_view target) const override {
    return who.rules != 0 ? challenge(target) : "";
  }

  std::map<std::string, TokenFault> faults = {{"a.b.other", TokenFault::audience},
                                              {"a.b.less", TokenFault::scope},
                                              {"a.b.new", TokenFault::keys_under_way},
                                              {"a.b.away", TokenFault::no_keys}};
  bool signs_in = false;
  std::shared_ptr<const Principal> principal = std::make_shared<const Principal>(
      Principal{.name = "ci", .id = {}, .servers = {}, .tools = {}, .expires = today});
  int asked = 0;
};

class GateTest : public testing::Test {
 protected:
  GateTest() {
    options.is_local_only = true;
    options.own_user = own_user;
  }

  [[nodiscard]] http::RequestHead head_of(http::Headers headers) const {
    if (!host.empty()) {
      headers.insert(headers.begin(), {.name = "Host", .value = host});
    }
    return {.method = "POST", .target = "/mcp", .headers = std::move(headers)};
  }
  // "200 NAME", or status and text of the refusal.
  std::string sent(http::Headers headers, const Peer& peer = own_process) {
    Result<Gate> gate = Gate::make(options);
    EXPECT_TRUE(gate);
    const Gate::Admitted admitted = gate->admit(head_of(std::move(headers)), peer, today, tokens);
    refusal = admitted ? Refusal() : admitted.error();
    return admitted ? "200 " + (*admitted)->name
                    : std::to_string(admitted.error().status) + " " + admitted.error().error;
  }
  std::string as(std::string authorization, const Peer& peer = own_process) {
    return sent({{.name = "Authorization", .value = std::move(authorization)}}, peer);
  }
  std::string at_host(const std::string& named, const Peer& peer = own_process) {
    host = named;
    return sent({}, peer);
  }
  std::string of_page(std::string origin, const Peer& peer = own_process) {
    return sent({{.name = "Origin", .value = std::move(origin)}}, peer);
  }
  std::string challenge() {
    return std::string(http::find_header(refusal.headers, "WWW-Authenticate"));
  }
  std::string problem() {
    const Result<Gate> gate = Gate::make(options);
    return gate ? "" : gate.error().message();
  }

  Gate::Options options;
  std::string host = "127.0.0.1:8808";
  KnownTokens tokens;
  Refusal refusal;
};

// ---- who

TEST_F(GateTest, a_process_of_the_same_user_needs_no_token) {
  EXPECT_EQ(sent({}), "200 ");
  EXPECT_EQ(sent({}, over_unix), "200 ");
  EXPECT_EQ(tokens.asked, 0);
}

TEST_F(GateTest, everybody_else_needs_one_and_is_told_how_to_get_it) {
  const std::map<std::string, Peer> others = {
      {"belongs to another user", {.is_unix = false, .is_here = true, .user = own_user + 1}},
      {"belongs to another user than", {.is_unix = true, .is_here = true, .user = 0}},
      {"does not say whose", {.is_unix = false, .is_here = true, .user = std::nullopt}},
      {"a token is needed", elsewhere},
      {"a token is needed; a", {.is_unix = false, .is_here = false, .user = own_user}},
  };
  for (const auto& [why, peer] : others) {
    EXPECT_THAT(sent({}, peer),
                AllOf(testing::StartsWith("401 "),
                      HasSubstr(why),
                      HasSubstr("`pi-mcp token add NAME`"),
                      HasSubstr("\"Authorization: Bearer TOKEN\"")));
    EXPECT_EQ(challenge(), "Bearer");
  }
}

TEST_F(GateTest, where_other_machines_reach_it_nobody_is_let_in_without_a_token) {
  options.is_local_only = false;
  EXPECT_THAT(sent({}), HasSubstr("401 a token is needed"));
  EXPECT_THAT(sent({}, over_unix), HasSubstr("401 a token is needed"));
  EXPECT_EQ(as("Bearer good"), "200 ci");
}

TEST_F(GateTest, what_came_through_a_proxy_needs_a_token_though_the_proxy_is_ours) {
  for (const char* name : {"Forwarded",
                           "X-Forwarded-For",
                           "x-forwarded-host",
                           "X-Forwarded-Proto",
                           "X-Real-IP",
                           "Via"}) {
    EXPECT_THAT(sent({{.name = name, .value = ""}}), HasSubstr("401 who comes through a proxy"))
        << name;
    EXPECT_EQ(
        sent({{.name = name, .value = "x"}, {.name = "Authorization", .value = "Bearer good"}}),
        "200 ci");
  }
}

TEST_F(GateTest, a_token_that_is_sent_has_to_be_good_wherever_it_comes_from) {
  for (const Peer& peer : {own_process, over_unix, elsewhere}) {
    EXPECT_EQ(as("Bearer good", peer), "200 ci");
    EXPECT_THAT(as("Bearer other", peer),
                HasSubstr("401 this token is not known here, or was revoked"));
    EXPECT_EQ(challenge(), R"(Bearer error="invalid_token")");
    EXPECT_THAT(as("Bearer old", peer),
                HasSubstr("401 this token has expired on 2026-11-26 02:30 UTC"));
    EXPECT_EQ(challenge(), R"(Bearer error="invalid_token")");
  }
}

TEST_F(GateTest, the_scheme_is_bearer_in_any_case) {
  EXPECT_EQ(as("bearer good"), "200 ci");
  EXPECT_EQ(as("BEARER   good "), "200 ci");
  EXPECT_THAT(as("Bearer"), HasSubstr("no token behind \"Bearer\"; is the variable set"));
  EXPECT_THAT(as("Bearer "), HasSubstr("is the variable set"));
  for (const char* other :
       {"", "good", "Basic Z29vZDo=", "Bearergood", "Token good", "Bearer\tgood"}) {
    EXPECT_THAT(as(other), HasSubstr("401 Authorization has to be one bearer token")) << other;
    EXPECT_EQ(challenge(), "Bearer");
  }
}

TEST_F(GateTest, two_tokens_are_none) {
  EXPECT_THAT(sent({{.name = "Authorization", .value = "Bearer good"},
                    {.name = "authorization", .value = "Bearer good"}}),
              HasSubstr("401 Authorization has to be one"));
  EXPECT_EQ(tokens.asked, 0);
}

TEST_F(GateTest, no_answer_repeats_a_token) {
  for (const char* token : {"Bearer planted", "Basic planted", "planted"}) {
    EXPECT_THAT(as(token), Not(HasSubstr("planted")));
    EXPECT_THAT(challenge(), Not(HasSubstr("planted")));
  }
}

// ---- tokens of authorization servers

TEST_F(GateTest, a_client_is_told_where_it_gets_a_token) {
  tokens.signs_in = true;
  EXPECT_THAT(sent({}, elsewhere), HasSubstr("401 a token is needed"));
  EXPECT_EQ(challenge(), R"(Bearer at="/mcp")");
  for (const char* wrong : {"Bearer other", "Bearer old", "Bearer"}) {
    EXPECT_THAT(as(wrong), HasSubstr("401 "));
    EXPECT_EQ(challenge(), R"(Bearer error="invalid_token", at="/mcp")") << wrong;
  }
  EXPECT_THAT(as("Basic x"), HasSubstr("401 "));
  EXPECT_EQ(challenge(), R"(Bearer at="/mcp")");
}

TEST_F(GateTest, a_jwt_that_lets_nobody_in_says_why) {
  tokens.signs_in = true;
  EXPECT_EQ(as("Bearer a.b.other"), "401 the token is for another audience");
  EXPECT_EQ(challenge(),
            R"(Bearer error="invalid_token", )"
            R"(error_description="the token is for another audience", at="/mcp")");
  EXPECT_EQ(as("Bearer a.b.less"), "403 the token has no scope that gives something here");
  EXPECT_EQ(challenge(),
            R"(Bearer error="insufficient_scope", error_description=)"
            R"("the token has no scope that gives something here", at="/mcp")");
}

TEST_F(GateTest, keys_that_are_not_there_are_nobodys_fault) {
  EXPECT_THAT(as("Bearer a.b.new"), HasSubstr("503 the keys of the issuer are being fetched"));
  EXPECT_TRUE(refusal.may_wait);
  EXPECT_EQ(http::find_header(refusal.headers, "Retry-After"), "5");
  EXPECT_THAT(as("Bearer a.b.away"), HasSubstr("503 the keys of the issuer cannot be had"));
  EXPECT_FALSE(refusal.may_wait);
  EXPECT_EQ(challenge(), "");
}

TEST_F(GateTest, who_may_not_use_a_server_is_told_of_scopes_where_they_help) {
  tokens.signs_in = true;
  const Principal bob{.name = "bob", .id = {}, .servers = {}, .tools = {}, .expires = {}};
  refusal = Gate::refuse_place(bob, "/servers/x/mcp", tokens);
  EXPECT_EQ(refusal.status, 404);
  EXPECT_EQ(challenge(), "");
  Principal ada = bob;
  ada.rules = 1;
  refusal = Gate::refuse_place(ada, "/servers/x/mcp", tokens);
  EXPECT_EQ(refusal.status, 403);
  EXPECT_THAT(challenge(),
              AllOf(HasSubstr(R"(error="insufficient_scope")"), HasSubstr("/servers/x/mcp")));
}

// ---- Host: a page whose name was made to lead here (DNS rebinding) sends its own

TEST_F(GateTest, a_local_host_has_one_of_three_names_and_any_port) {
  for (const char* local :
       {"localhost", "LocalHost:8808", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535"}) {
    EXPECT_EQ(at_host(local), "200 ") << local;
  }
}

TEST_F(GateTest, any_other_host_is_refused_with_a_token_too) {
  for (const char* other : {"evil.example",
                            "evil.example:8808",
                            "localhost.evil.example",
                            "127.0.0.1.nip.io",
                            "127.0.0.2",
                            "127.1",
                            "2130706433",
                            "0.0.0.0",
                            "10.0.0.5:8808",
                            "localhost.",
                            "a.localhost",
                            "[::]",
                            "[::ffff:127.0.0.1]",
                            "[0:0:0:0:0:0:0:1]",
                            "::1"}) {
    EXPECT_THAT(at_host(other), AllOf(HasSubstr("403 the Host \""), HasSubstr("--allow-host")))
        << other;
    EXPECT_THAT(as("Bearer good"), HasSubstr("403 the Host")) << other;
  }
  EXPECT_EQ(tokens.asked, 0);
}

TEST_F(GateTest, for_other_machines_its_addresses_are_hosts_and_names_are_not) {
  options.is_local_only = false;
  for (const char* const address : {"10.0.0.5:8808", "192.168.1.2", "[fd00::5]:8808"}) {
    host = address;
    EXPECT_EQ(sent({{.name = "Authorization", .value = "Bearer good"}}, elsewhere), "200 ci");
    EXPECT_THAT(sent({}, elsewhere), HasSubstr("401 a token is needed"));
  }
  for (const char* const other : {"gateway.example", "10.0.0.5.evil.example", "10.0.0.5@evil"}) {
    host = other;
    EXPECT_THAT(sent({{.name = "Authorization", .value = "Bearer good"}}, elsewhere),
                HasSubstr("403 the Host"));
  }
  options.is_local_only = true;
  host = "10.0.0.5:8808";
  EXPECT_THAT(sent({}), HasSubstr("403 the Host"));
}

TEST_F(GateTest, a_broken_host_is_no_local_one) {
  for (const char* broken : {" ",
                             ":8808",
                             "localhost:",
                             "localhost:0",
                             "localhost:65536",
                             "localhost:99999999999",
                             "localhost:80x",
                             "localhost:x",
                             "localhost:-1",
                             "localhost:80:80",
                             "user@localhost",
                             "localhost@evil.example",
                             "localhost/",
                             "localhost#",
                             "localhost, evil.example",
                             "http://localhost",
                             "[::1",
                             "::1]",
                             "[::1]x",
                             "[::1%25lo]",
                             "[localhost]",
                             "[]",
                             "local host",
                             "localhost\xC3\xA9"}) {
    EXPECT_THAT(at_host(broken), HasSubstr("403 the Host")) << broken;
  }
}

TEST_F(GateTest, there_is_one_host) {
  host = "";
  EXPECT_THAT(sent({}), HasSubstr("403 the Host \"\""));
  EXPECT_THAT(sent({{.name = "Host", .value = ""}}), HasSubstr("403 the Host \"\""));
  host = "localhost";
  EXPECT_THAT(sent({{.name = "host", .value = "localhost"}}), HasSubstr("403 the Host"));
  EXPECT_THAT(sent({{.name = "HOST", .value = "evil.example"}}),
              HasSubstr("403 the Host \"evil.example\""));
}

TEST_F(GateTest, a_unix_socket_has_no_host) {
  for (const char* any : {"", "evil.example", "/run/pi-mcp.sock", "localhost:0"}) {
    EXPECT_EQ(at_host(any, over_unix), "200 ") << any;
  }
}

TEST_F(GateTest, a_host_that_is_allowed_is_so_with_its_port_or_any) {
  options.allowed_hosts = {"Gateway.example", "other.example:8443", "[fd00::5]"};
  for (const char* host_now : {"gateway.example",
                               "GATEWAY.EXAMPLE:443",
                               "gateway.example:1",
                               "other.example:8443",
                               "[FD00::5]:80"}) {
    EXPECT_EQ(at_host(host_now), "200 ") << host_now;
  }
  for (const char* host_now :
       {"other.example", "other.example:443", "a.gateway.example", "[fd00::6]"}) {
    EXPECT_THAT(at_host(host_now), HasSubstr("403 the Host")) << host_now;
  }
}

TEST_F(GateTest, what_is_shown_of_a_host_is_short_and_in_one_line) {
  const std::string text = at_host("evil\x1b[2J" + std::string(5000, 'x'));
  EXPECT_LT(text.size(), 400U);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

// ---- Origin: pages of browsers

TEST_F(GateTest, pages_of_this_machine_may_come) {
  for (const char* origin : {"http://localhost",
                             "http://localhost:5173",
                             "https://127.0.0.1:1",
                             "http://[::1]:3000",
                             "HTTP://LOCALHOST:3000"}) {
    EXPECT_EQ(of_page(origin), "200 ") << origin;
  }
}

TEST_F(GateTest, pages_from_elsewhere_may_not) {
  for (const Peer& peer : {own_process, over_unix}) {
    for (const char* origin : {"https://evil.example",
                               "http://localhost.evil.example",
                               "http://a.localhost",
                               "http://127.0.0.2",
                               "null",
                               "NULL",
                               "",
                               "localhost",
                               "//localhost",
                               "file://",
                               "chrome-extension://abc",
                               "http://localhost/",
                               "http://localhost/a",
                               "http://localhost?x",
                               "http://localhost#x",
                               "http://localhost:0",
                               "http://localhost:x",
                               "http://user@localhost",
                               "http://localhost@evil.example",
                               "http://localhost http://evil.example",
                               "http://localhost, http://evil.example",
                               "http://localhost\\@evil.example",
                               "http://",
                               "http://[::1"}) {
      EXPECT_THAT(of_page(origin, peer),
                  AllOf(HasSubstr("403 pages of \""), HasSubstr("--allow-origin")))
          << origin;
    }
  }
}

TEST_F(GateTest, one_origin_is_sent_at_most) {
  EXPECT_THAT(sent({{.name = "Origin", .value = "http://localhost"},
                    {.name = "origin", .value = "http://localhost"}}),
              HasSubstr("403 pages of"));
}

TEST_F(GateTest, an_origin_that_is_allowed_is_so_with_its_scheme_and_port) {
  options.allowed_origins = {"https://App.example:443", "http://dev.example:3000"};
  EXPECT_EQ(of_page("https://app.example"), "200 ");
  EXPECT_EQ(of_page("https://APP.example:443"), "200 ");
  EXPECT_EQ(of_page("http://dev.example:3000"), "200 ");
  for (const char* other : {"http://app.example",
                            "https://app.example:8443",
                            "https://a.app.example",
                            "http://dev.example",
                            "https://dev.example:3000"}) {
    EXPECT_THAT(of_page(other), HasSubstr("403 pages of")) << other;
  }
}

TEST_F(GateTest, what_browsers_ask_beforehand_has_no_token) {
  options.is_local_only = false;
  const Result<Gate> gate = Gate::make(options);
  ASSERT_TRUE(gate);
  const auto asked = [&](std::string origin) {
    return gate->check_place(head_of({{.name = "Origin", .value = std::move(origin)}}), elsewhere);
  };
  EXPECT_FALSE(asked("http://localhost:5173"));
  ASSERT_TRUE(asked("https://evil.example"));
  EXPECT_EQ(asked("https://evil.example")->status, 403);
}

// ---- what is configured

TEST_F(GateTest, options_that_mean_nothing_are_refused) {
  for (const char* wrong :
       {"", "*", "*.example", "https://a.example", "a.example/", "a b", "a:0"}) {
    options.allowed_hosts = {"fine.example", wrong};
    EXPECT_THAT(problem(), AllOf(HasSubstr("--allow-host wants a host"), HasSubstr("not \"")))
        << wrong;
  }
  options.allowed_hosts.clear();
  for (const char* wrong :
       {"", "*", "null", "app.example", "https://a.example/", "ftp://a.example"}) {
    options.allowed_origins = {wrong};
    EXPECT_THAT(problem(), HasSubstr("--allow-origin wants scheme and host")) << wrong;
  }
}

TEST(Listening, beyond_this_machine_wants_a_token) {
  for (const char* local : {"127.0.0.1:8808",
                            "127.0.0.1",
                            "127.8.9.10:1",
                            "[::1]:0",
                            "[::1]",
                            "localhost:8808",
                            "unix:/run/user/1000/pi.sock",
                            "unix:relative"}) {
    EXPECT_TRUE(is_local_address(local)) << local;
    EXPECT_TRUE(may_listen(local, false)) << local;
  }
  for (const char* open : {"0.0.0.0:8808",
                           "[::]:8808",
                           "10.0.0.5:1",
                           "192.0.2.1",
                           "[fd00::1]:1",
                           "[::ffff:127.0.0.1]:1",
                           "gateway.example:80",
                           "localhost.evil.example:80",
                           "a.localhost:80",
                           "127.0.0.1.nip.io:80",
                           "127.evil:80",
                           "",
                           ":8808",
                           "[::1"}) {
    EXPECT_FALSE(is_local_address(open)) << open;
    EXPECT_TRUE(may_listen(open, true)) << open;
    const Result<void> refused = may_listen(open, false);
    ASSERT_FALSE(refused) << open;
    EXPECT_THAT(refused.error().message(), HasSubstr("pi-mcp token add NAME"));
  }
}

}  // namespace
}  // namespace pi_mcp::access
