// What a session of a token over HTTP knows and leaves behind, beside those of the user.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class SessionPrincipal : public test::SessionFixture {
 protected:
  // One that is started, and one behind a url, where everybody has a login.
  SessionPrincipal() {
    add("here", test::echo_server());
    test::FakeServer far = test::echo_server();
    far.configure = [](config::Server& server) {
      server.command.reset();
      server.url = "https://far.example/mcp";
      server.entry_json = R"({"url":"https://far.example/mcp"})";
    };
    add("far", std::move(far));
  }
  // The next session is that of this token; empty: of the user.
  void become(const std::string& id) {
    stop();
    settings.principal = id;
    settings.principal_name = id.empty() ? "" : "ci";
  }
  const std::vector<catalog::CatalogTool>& tools(const std::string& server) {
    return session().catalog().tools(server);
  }
};

TEST_F(SessionPrincipal, lists_that_a_login_of_the_user_has_shown_are_the_users) {
  remember();
  become("1f");
  EXPECT_THAT(tools("here"), SizeIs(2));
  EXPECT_THAT(tools("far"), IsEmpty());
  EXPECT_FALSE(mcp(R"({"connect":"far"})").is_error);
  become("2e");
  EXPECT_THAT(tools("far"), IsEmpty());
  become("1f");
  EXPECT_THAT(tools("far"), SizeIs(2));
  EXPECT_EQ(starts["far"], 1);
}

TEST_F(SessionPrincipal, what_it_has_seen_is_shown_to_nobody_else) {
  remember();
  become("1f");
  servers["here"].tools = R"([{"name":"of_theirs","inputSchema":{"type":"object"}}])";
  EXPECT_FALSE(mcp(R"({"connect":"here"})").is_error);
  EXPECT_THAT(tools("here"), SizeIs(1));
  for (const char* other : {"2e", ""}) {
    become(other);
    EXPECT_THAT(text(R"({"search":"of_theirs"})"), Not(HasSubstr("here_of_theirs"))) << other;
    EXPECT_THAT(tools("here"), SizeIs(2)) << other;
  }
}

TEST_F(SessionPrincipal, it_writes_no_words_for_the_search_of_others) {
  remember();
  become("1f");
  const test::Said refused = mcp(R"({"action":"keywords","args":{"here_echo":["parrot"]}})");
  EXPECT_TRUE(refused.is_error);
  EXPECT_THAT(refused.text, HasSubstr("No words are kept here"));
  EXPECT_FALSE(std::filesystem::exists(dir + "/mcp-keywords.json"));
}

TEST_F(SessionPrincipal, who_is_not_logged_in_is_told_how_this_token_is) {
  servers["far"].refuses = "nobody is logged in";
  servers["far"].refusal = ErrorCode::unauthorized;
  become("1f");
  EXPECT_THAT(text(R"({"connect":"far"})"), HasSubstr("pi-mcp auth far --for ci"));
  become("");
  EXPECT_THAT(text(R"({"connect":"far"})"), HasSubstr("pi-mcp auth far ("));
}

}  // namespace
}  // namespace pi_mcp::gateway
