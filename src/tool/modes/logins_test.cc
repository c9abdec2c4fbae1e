// Logins that an agent starts: mcp({ action: "auth-start" }) and "auth-complete".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "auth/credentials.h"
#include "http/form.h"
#include "io/loop/clock.h"
#include "io/net/http_client.h"
#include "support/auth_peer.h"
#include "support/session_fixture.h"
#include "support/shared_logins.h"

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;

class CompatAuth : public test::SessionFixture {
 protected:
  CompatAuth() : peer(context.get_executor()), client(context.get_executor(), {}) {
    test::FakeServer remote;
    remote.configure = [this](config::Server& server) {
      server.command.reset();
      server.args.clear();
      server.url = peer.server_url();
    };
    add("remote", std::move(remote));
    add("local", test::echo_server());
  }
  void TearDown() override {
    stop();
    wait(peer.close());
  }

  std::string error_of(const std::string& arguments) { return detail(mcp(arguments), "error"); }

  // Where the browser is sent to after the login.
  std::string follow(const std::string& url) {
    const auto answer = wait(get(url));
    EXPECT_TRUE(answer);
    return answer ? std::string(answer->head.find("location")) : "";
  }
  io::Task<Result<http::Answer>> get(std::string url) {
    http::Request request;
    request.url = std::move(url);
    return client.fetch(std::move(request), Milliseconds(20'000), 1U << 20U);
  }
  std::string start() {
    const test::Said started = mcp(R"({"action":"auth-start","server":"remote"})");
    EXPECT_FALSE(started.is_error) << started.text;
    const std::string url = detail(started, "authorizationUrl");
    return url.size() > 2 ? url.substr(1, url.size() - 2) : "";
  }

  test::AuthPeer peer;
  io::HttpClient client;
};

// At a replica: a person may come back to another one.
class LoginsOfReplicas : public CompatAuth {
 protected:
  LoginsOfReplicas() : shared(context.get_executor()) { settings.shared_logins = &shared; }

  // Somebody has come back there.
  void complete_elsewhere() {
    auth::Credentials login;
    login.server_url = peer.server_url();
    login.issuer = peer.origin();
    login.made_at = io::epoch_now();
    login.tokens = auth::Tokens{.access = peer.access,
                                .refresh = peer.refresh,
                                .scope = "a",
                                .stale_at = {},
                                .login_ends_at = {}};
    shared.kept.insert_or_assign(
        test::FakeSharedLogins::key(
            {.principal = "", .server = "remote", .url = peer.server_url()}),
        login);
  }
  test::FakeSharedLogins shared;
};

TEST_F(CompatAuth, row_72_auth_start_gives_an_address_and_the_callback_completes_the_login) {
  const std::string url = start();
  EXPECT_THAT(url, HasSubstr("code_challenge_method=S256"));
  EXPECT_NE(http::form_value(url, "state"), "");
  EXPECT_EQ(start(), url);  // the same login, shown again
  EXPECT_TRUE(wait(get(follow(url))));
  // The page is shown before the code is redeemed.
  run_until([this] {
    const test::Said again = mcp(R"({"action":"auth-start","server":"remote"})");
    return detail(again, "authenticated") == "true";
  });
  EXPECT_EQ(peer.codes, 1);
}

TEST_F(CompatAuth, the_end_of_a_login_is_told_without_being_asked_for) {
  struct Listener final : registry::SessionObserver {
    void noticed(const registry::Notice& notice) override { told.push_back(notice.text); }
    std::vector<std::string> told;
  } listener;
  session().add_observer(listener);
  EXPECT_TRUE(wait(get(follow(start()))));
  run_until([&listener] { return !listener.told.empty(); });
  EXPECT_EQ(listener.told.front(), "MCP: The login to remote is done");
  session().remove_observer(listener);
}

TEST_F(CompatAuth, a_reconnect_right_after_the_page_of_the_browser_waits_for_the_login) {
  EXPECT_TRUE(wait(get(follow(start()))));
  mcp(R"({"action":"reconnect","server":"remote"})");
  EXPECT_EQ(detail(mcp(R"({"action":"auth-start","server":"remote"})"), "authenticated"), "true");
}

TEST_F(CompatAuth, a_connect_right_after_the_page_of_the_browser_waits_for_the_login) {
  EXPECT_TRUE(wait(get(follow(start()))));
  mcp(R"({"connect":"remote"})");
  EXPECT_EQ(detail(mcp(R"({"action":"auth-start","server":"remote"})"), "authenticated"), "true");
}

TEST_F(CompatAuth, row_72_auth_complete_takes_the_pasted_address) {
  const std::string last = follow(start());
  const test::Said done =
      mcp(R"({"action":"auth-complete","server":"remote","args":{"redirectUrl":")" + last + "\"}}");
  EXPECT_FALSE(done.is_error) << done.text;
  EXPECT_EQ(detail(done, "authenticated"), "true");
  EXPECT_EQ(peer.codes, 1);
}

TEST_F(CompatAuth, a_pasted_address_of_another_login_is_refused_and_the_login_goes_on) {
  const std::string last = follow(start());
  const test::Said wrong = mcp(
      R"({"action":"auth-complete","server":"remote","args":{"input":"http://x/?code=c&state=s"}})");
  EXPECT_TRUE(wrong.is_error);
  EXPECT_EQ(detail(wrong, "error"), R"("auth_complete_failed")");
  EXPECT_FALSE(
      mcp(R"({"action":"auth-complete","server":"remote","args":{"input":")" + last + "\"}}")
          .is_error);
}

TEST_F(CompatAuth, what_is_missing_is_named) {
  EXPECT_EQ(error_of(R"({"action":"auth-start"})"), R"("missing_server")");
  EXPECT_EQ(error_of(R"({"action":"auth-start","server":"nobody"})"), R"("not_found")");
  EXPECT_EQ(error_of(R"({"action":"auth-start","server":"local"})"), R"("oauth_not_supported")");
  EXPECT_EQ(error_of(R"({"action":"auth-complete","server":"remote"})"), R"("missing_input")");
  EXPECT_EQ(error_of(R"({"action":"auth-complete","server":"remote","args":{"code":"x"}})"),
            R"("auth_complete_failed")");
}

TEST_F(LoginsOfReplicas, one_that_was_completed_elsewhere_is_over_when_somebody_looks) {
  struct Listener final : registry::SessionObserver {
    void noticed(const registry::Notice& notice) override { told.push_back(notice.text); }
    std::vector<std::string> told;
  } listener;
  session().add_observer(listener);
  start();
  complete_elsewhere();
  EXPECT_THAT(mcp("{}").text, HasSubstr("\u2713 remote"));
  EXPECT_THAT(listener.told, testing::ElementsAre("MCP: The login to remote is done"));
  EXPECT_EQ(detail(mcp(R"({"action":"auth-start","server":"remote"})"), "authenticated"), "true");
  EXPECT_EQ(peer.codes, 0);
  session().remove_observer(listener);
}

TEST_F(LoginsOfReplicas, the_store_is_asked_once_in_a_while_and_only_while_a_login_is_under_way) {
  EXPECT_FALSE(mcp("{}").is_error);
  EXPECT_EQ(shared.reads, 0);
  start();
  const int before = shared.reads;
  const TimePoint began = io::now();
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(mcp("{}").is_error);
  }
  EXPECT_GE(shared.reads, before + 1);
  EXPECT_LE(shared.reads, before + 1 + (io::now() - began) / std::chrono::seconds(3));
}

TEST_F(LoginsOfReplicas, a_code_is_not_redeemed_before_it_was_looked_for_one_elsewhere) {
  const std::string last = follow(start());
  mcp("{}");  // it was looked just now
  complete_elsewhere();
  const test::Said done =
      mcp(R"({"action":"auth-complete","server":"remote","args":{"redirectUrl":")" + last + "\"}}");
  EXPECT_EQ(detail(done, "authenticated"), "true") << done.text;
  EXPECT_EQ(peer.codes, 0);
}

TEST_F(LoginsOfReplicas, one_whose_code_was_redeemed_elsewhere_has_not_failed) {
  const std::string last = follow(start());
  complete_elsewhere();
  peer.token_error = "invalid_grant";
  EXPECT_TRUE(wait(get(last)));
  mcp(R"({"connect":"remote"})");  // waits for its end
  EXPECT_EQ(peer.token_bodies.size(), 1);
  EXPECT_EQ(detail(mcp(R"({"action":"auth-start","server":"remote"})"), "authenticated"), "true");
}

TEST_F(LoginsOfReplicas, where_the_store_is_away_a_login_goes_on) {
  const std::string url = start();
  shared.is_away = true;
  EXPECT_FALSE(mcp("{}").is_error);
  EXPECT_EQ(start(), url);
  shared.is_away = false;
  const test::Said done = mcp(R"({"action":"auth-complete","server":"remote","args":{"input":")" +
                              follow(url) + "\"}}");
  EXPECT_EQ(detail(done, "authenticated"), "true") << done.text;
  EXPECT_EQ(peer.codes, 1);
}

TEST_F(CompatAuth, a_session_ends_with_a_login_under_way) {
  EXPECT_NE(start(), "");
}

}  // namespace
}  // namespace pi_mcp::tool
