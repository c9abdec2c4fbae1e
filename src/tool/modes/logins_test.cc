// Logins that an agent starts: mcp({ action: "auth-start" }) and "auth-complete".
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/form.h"
#include "io/net/http_client.h"
#include "support/auth_peer.h"
#include "support/session_fixture.h"

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

TEST_F(CompatAuth, a_session_ends_with_a_login_under_way) {
  EXPECT_NE(start(), "");
}

}  // namespace
}  // namespace pi_mcp::tool
