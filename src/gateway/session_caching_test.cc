// Servers that say how long and for whom their lists are good (2026-07-28, "Caching").
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/run_publisher.h"
#include "io/files/file.h"
#include "support/scripted_host.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* out_of_date = R"("ttlMs":0,"cacheScope":"public",)";
constexpr const char* good_for_an_hour = R"("ttlMs":3600000,"cacheScope":"public",)";
// The tool echo as a later version of the server has it, and another tool.
constexpr const char* later_tools =
    R"([{"name":"echo","inputSchema":{"type":"object","properties":{"words":{"type":"string"}},)"
    R"("required":["words"],"additionalProperties":false}},)"
    R"({"name":"new","inputSchema":{"type":"object"}}])";

class SessionCaching : public test::SessionFixture {
 protected:
  void add_echo(const std::string& caching) {
    test::FakeServer server = test::echo_server();
    server.caching = caching;
    add("echo", std::move(server));
  }
  bool call_with_words() { return !mcp(R"({"tool":"echo_echo","args":{"words":"hi"}})").is_error; }
};

TEST_F(SessionCaching, lists_that_are_out_of_date_are_shown_and_start_nothing) {
  add_echo(out_of_date);
  remember();
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("echo (2 tools (not connected, cached)):"));
  EXPECT_THAT(text(R"({"search":"echo"})"), HasSubstr("echo_echo"));
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(SessionCaching, the_record_of_a_run_that_used_no_server_reads_no_cache) {
  add_echo(good_for_an_hour);
  remember();
  RunPublisher publisher(context.get_executor(), &session(), dir);
  publisher.start();
  wait(publisher.stop());
  publisher.bury();
  std::filesystem::remove(dir + "/mcp-cache.json");
  EXPECT_THAT(session().catalog().tools("echo"), IsEmpty()) << "it is read now";
}

TEST_F(SessionCaching, arguments_are_refused_only_by_a_list_that_is_good) {
  add_echo(good_for_an_hour);
  remember();
  servers["echo"].tools = later_tools;
  EXPECT_FALSE(call_with_words());
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(SessionCaching, arguments_that_do_not_fit_an_old_list_are_checked_by_a_new_one) {
  add_echo(out_of_date);
  remember();
  servers["echo"].tools = later_tools;
  EXPECT_TRUE(call_with_words());
  EXPECT_EQ(starts["echo"], 1);
  const std::string refused = text(R"({"tool":"echo_echo","args":{"text":"hi"}})");
  EXPECT_THAT(refused, HasSubstr("words")) << "what does not fit the new one either is refused";
}

TEST_F(SessionCaching, a_connected_server_is_asked_again_before_something_is_refused) {
  pool_options.list_fresh_min = Milliseconds(0);
  add_echo(out_of_date);
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  servers["echo"].tools = later_tools;
  EXPECT_TRUE(call_with_words());
  servers["echo"].tools = R"([{"name":"newer","inputSchema":{"type":"object"}}])";
  EXPECT_FALSE(mcp(R"({"tool":"echo_newer"})").is_error) << "a tool that was not there";
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(SessionCaching, looking_at_a_connected_server_reads_old_lists_again_behind) {
  pool_options.list_fresh_min = Milliseconds(0);
  add_echo(out_of_date);
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  servers["echo"].tools = later_tools;
  EXPECT_THAT(text(R"({"server":"echo"})"), Not(HasSubstr("echo_new")));
  run_until([this] {
    return session().catalog().tools("echo").front().input_schema.view().find("words") !=
           std::string_view::npos;
  });
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("echo_new"));
}

TEST_F(SessionCaching, a_list_that_is_good_is_not_read_again) {
  pool_options.list_fresh_min = Milliseconds(0);
  add_echo(good_for_an_hour);
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  const std::size_t read = links["echo"]->count_sent("tools/list");
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools"));
  EXPECT_FALSE(mcp(R"({"tool":"echo_echo","args":{"text":"hi"}})").is_error);
  EXPECT_FALSE(mcp(R"({"tool":"echo_add","args":{"a":1,"b":2}})").is_error);
  EXPECT_EQ(links["echo"]->count_sent("tools/list"), read);
}

TEST_F(SessionCaching, lists_are_known_by_what_the_host_declares) {
  const std::string all = later_tools;
  add_echo("");
  servers["echo"].tools = all;
  session().meet_host(std::make_shared<test::ScriptedHost>());
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  stop();
  servers["echo"].tools = R"([{"name":"echo","inputSchema":{"type":"object"}}])";
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  stop();
  starts.clear();
  EXPECT_THAT(text(R"({"server":"echo"})"), Not(HasSubstr("echo_new")));
  session().meet_host(std::make_shared<test::ScriptedHost>());
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("echo_new"));
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(SessionCaching, a_tool_that_only_abler_hosts_were_offered_is_refused_with_what_they_have) {
  const std::string tools = R"([{"name":"echo","inputSchema":{"type":"object"}},{"name":"ask"}])";
  const std::string offered = "It was offered only to hosts with elicitation, roots, sampling.";
  add_echo("");
  servers["echo"].tools = tools;
  session().meet_host(std::make_shared<test::ScriptedHost>());
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  stop();
  servers["echo"].tools = R"([{"name":"echo","inputSchema":{"type":"object"}}])";
  EXPECT_THAT(text(R"({"tool":"echo_ask"})"),
              HasSubstr("not found on \"echo\" after reconnect. " + offered))
      << "the cache knows nothing else before the first connection";
  EXPECT_THAT(text(R"({"tool":"echo_ask"})"), HasSubstr("Tool \"echo_ask\" not found. " + offered));
  EXPECT_THAT(text(R"({"describe":"echo_ask"})"), HasSubstr(offered));
  EXPECT_THAT(text(R"({"tool":"echo_nothing"})"), Not(HasSubstr("offered")));
}

TEST_F(SessionCaching, a_name_that_nobody_has_is_refused_where_no_server_was_ever_seen) {
  add_echo("");
  session().meet_host(std::make_shared<test::ScriptedHost>());
  EXPECT_THAT(text(R"({"tool":"nothing_like_this"})"), HasSubstr("not found"));
}

TEST_F(SessionCaching, extensions_of_pi_find_by_their_hash_what_was_cached_outside_of_pi) {
  add_echo("");
  remember();
  const auto member = [this](std::string_view key) {
    const auto text = io::read_file(dir + "/mcp-cache.json").value().value_or("{}");
    const auto document = json::Document::parse_view(text).value();
    return document.root().at({"servers", "echo", key}).string_or("");
  };
  const std::string seed = member("configHash");
  const auto begin = [this](render::HostKind host) {
    options.host = host;
    wait(session().warm_up());
    session().meet_host(std::make_shared<test::ScriptedHost>());
    stop();
  };
  begin(render::HostKind::mcp);
  EXPECT_EQ(member("configHash"), seed);
  begin(render::HostKind::pi);
  EXPECT_EQ(member("identityHash"), seed);
  EXPECT_NE(member("configHash"), seed);
  begin(render::HostKind::mcp);
  EXPECT_EQ(member("identityHash"), seed);
  EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools"));
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(SessionCaching, private_lists_are_known_only_with_the_same_credentials) {
  for (const char* const scope : {R"("ttlMs":3600000,"cacheScope":"private",)", good_for_an_hour}) {
    servers.clear();
    names.clear();
    add_echo(scope);
    servers["echo"].configure = [](config::Server& server) {
      server.env = {{"KEY", "${ACCOUNT}"}};
    };
    environment.variables["ACCOUNT"] = "one";
    remember();
    EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools"));
    stop();
    environment.variables["ACCOUNT"] = "two";
    const bool is_public = scope == good_for_an_hour;
    options.first_wait = Milliseconds(0);
    servers["echo"].hangs = true;  // so that only the cache is left
    EXPECT_THAT(text(R"({"server":"echo"})"),
                HasSubstr(is_public ? "2 tools" : "configured but not connected"));
    stop();
    environment.variables["ACCOUNT"] = "one";
    EXPECT_THAT(text(R"({"server":"echo"})"), HasSubstr("2 tools"));
    stop();
    servers["echo"].hangs = false;
  }
}

}  // namespace
}  // namespace pi_mcp::gateway
