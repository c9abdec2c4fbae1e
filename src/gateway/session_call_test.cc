// connect and call: what a session does with servers that run.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/cache_file.h"
#include "gateway/session.h"
#include "io/files/file.h"
#include "io/loop/task_group.h"
#include "json/writer.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using CompatConnect = test::SessionFixture;
using CompatCall = test::SessionFixture;
using SessionWarmUp = test::SessionFixture;

class Listener final : public registry::SessionObserver {
 public:
  explicit Listener(Session& session) : session_(session) { session_.add_observer(*this); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  Listener(Listener&&) = delete;
  Listener& operator=(Listener&&) = delete;
  ~Listener() override { session_.remove_observer(*this); }
  void server_said(std::string_view server, json::Value params) override {
    said.push_back(std::string(server) + " " + params.find("data").string_or(""));
  }
  void noticed(const registry::Notice& notice) override { notices.push_back(notice); }

  std::vector<std::string> said;
  std::vector<registry::Notice> notices;

 private:
  Session& session_;
};

test::FakeServer answering(std::string tools, std::string answer) {
  test::FakeServer server;
  server.tools = std::move(tools);
  server.on_call = [answer = std::move(answer)](test::ScriptedLink&, const rpc::Message&) {
    return answer;
  };
  return server;
}

std::string plain_tool(const std::string& name) {
  return R"([{"name":")" + name + R"(","inputSchema":{"type":"object"}}])";
}

test::FakeServer resource_server(std::string answer) {
  test::FakeServer server = answering("[]", std::move(answer));
  server.resources = R"([{"uri":"demo://r","name":"My Resource!"}])";
  return server;
}

TEST_F(CompatConnect, row_21_starts_the_server_lists_and_fills_the_cache) {
  add("echo", test::echo_server());
  const test::Said list = mcp(R"({"connect":"echo"})");
  EXPECT_THAT(list.text, StartsWith("echo (2 tools):\n\n- echo_echo - "));
  EXPECT_EQ(detail(list, "mode"), "\"list\"");
  EXPECT_EQ(starts["echo"], 1);
  const auto cache = io::read_file(dir + "/mcp-cache.json");
  const Result<json::Document> file = json::Document::parse(cache.value().value());
  const json::Value entry = file->root().at({"servers", "echo"});
  EXPECT_EQ(entry.find("configHash").string_or("").size(), 64U);
  EXPECT_EQ(entry.find("tools").size(), 2U);
}

TEST_F(CompatConnect, takes_the_open_connection) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatConnect, an_open_server_is_asked_for_its_lists_again) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  servers["echo"].tools = plain_tool("brand_new");
  EXPECT_THAT(text(R"({"connect":"echo"})"), StartsWith("echo (1 tool):\n\n- echo_brand_new"));
  EXPECT_EQ(starts["echo"], 1);
  EXPECT_EQ(links["echo"]->count_sent("\"method\":\"tools/list\""), 2U);
  const auto cache = io::read_file(dir + "/mcp-cache.json");
  EXPECT_THAT(cache.value().value(), HasSubstr("brand_new"));
}

TEST_F(CompatConnect, an_open_server_that_does_not_answer_any_more_is_no_success) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.request_timeout = Milliseconds(20);
  };
  mcp(R"({"connect":"echo"})");
  servers["echo"].hangs = true;
  const test::Said hung = mcp(R"({"connect":"echo"})");
  EXPECT_THAT(hung.text, HasSubstr("reading its lists again: no answer to "));
  EXPECT_EQ(hung.failure, tool::Failure::timed_out);
}

TEST_F(CompatConnect, an_open_server_that_proves_dead_is_started_anew) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  links["echo"]->broken = "cannot write: Broken pipe";
  EXPECT_FALSE(mcp(R"({"connect":"echo"})").is_error);
  EXPECT_EQ(starts["echo"], 2);
}

TEST_F(CompatConnect, a_link_to_a_url_that_takes_nothing_any_more_is_made_anew) {
  add("far", test::echo_server()).configure = [](config::Server& server) {
    server.command.reset();
    server.url = "http://localhost:1/mcp";
    server.protocol = mcp::Protocol::handshake;
    server.request_timeout = server.startup_timeout = Milliseconds(20);
  };
  EXPECT_FALSE(mcp(R"({"connect":"far"})").is_error);
  servers["far"].hangs = true;
  EXPECT_TRUE(mcp(R"({"connect":"far"})").is_error);
  EXPECT_EQ(starts["far"], 2);
  servers["far"].hangs = false;
  EXPECT_FALSE(mcp(R"({"connect":"far"})").is_error);
  EXPECT_EQ(starts["far"], 3);
}

TEST_F(CompatConnect, a_server_behind_a_url_that_is_back_is_back_with_the_next_call) {
  add("far", test::echo_server()).configure = [](config::Server& server) {
    server.command.reset();
    server.url = "http://localhost:1/mcp";
    server.protocol = mcp::Protocol::handshake;
  };
  servers["far"].refuses = "connection refused";
  EXPECT_EQ(detail(mcp(R"({"tool":"far_x"})"), "error"), "\"connect_failed\"");
  EXPECT_THAT(text("{}"), HasSubstr("\u2717 far (failed 0s ago)"));
  servers["far"].refuses.clear();
  EXPECT_EQ(text(R"({"tool":"far_echo","args":{"text":"back"}})"), "back");
}

TEST_F(CompatConnect, row_22_failure) {
  add("flaky", {}).refuses = "exited with status 1";
  const test::Said failed = mcp(R"({"connect":"flaky"})");
  EXPECT_THAT(failed.text, StartsWith("Failed to connect to \"flaky\": "));
  EXPECT_THAT(failed.text, HasSubstr("exited with status 1"));
  EXPECT_EQ(detail(failed, "error"), "\"connect_failed\"");
  EXPECT_EQ(failed.failure, tool::Failure::unavailable);
  EXPECT_EQ(detail(mcp(R"({"connect":"x"})"), "error"), "\"not_found\"");
}

TEST_F(CompatConnect, row_52_implicit_starts_wait_after_a_failure_and_explicit_ones_do_not) {
  add("flaky", {}).refuses = "exited with status 1";
  EXPECT_EQ(detail(mcp(R"({"tool":"flaky_x"})"), "error"), "\"connect_failed\"");
  const test::Said refused = mcp(R"({"tool":"flaky_x"})");
  EXPECT_THAT(refused.text, StartsWith("Server \"flaky\" not available (last failed 0s ago): "));
  EXPECT_THAT(refused.text, HasSubstr("exited with status 1"));
  EXPECT_EQ(detail(refused, "error"), "\"server_backoff\"");
  EXPECT_EQ(starts["flaky"], 1);
  servers["flaky"].refuses = "is this the right file?";
  mcp(R"({"connect":"flaky"})");
  EXPECT_THAT(text(R"({"tool":"flaky_x"})"), HasSubstr("file? Use mcp("));
  servers["flaky"] = test::echo_server();
  EXPECT_FALSE(mcp(R"({"connect":"flaky"})").is_error);
  EXPECT_EQ(starts["flaky"], 3);
  EXPECT_EQ(text(R"({"tool":"flaky_echo","args":{"text":"back"}})"), "back");
}

TEST_F(CompatConnect, a_server_that_cannot_be_configured_is_not_tried_again_at_once) {
  add("broken", {}).configure = [](config::Server& server) {
    server.problem = "has neither command nor url";
  };
  EXPECT_THAT(text(R"({"tool":"broken_x"})"), HasSubstr("has neither command nor url"));
  EXPECT_EQ(detail(mcp(R"({"tool":"broken_x"})"), "error"), "\"server_backoff\"");
  EXPECT_THAT(text("{}"), HasSubstr("\u2717 broken (failed 0s ago) \u2014 "));
}

TEST_F(CompatCall, row_23_lazy_first_call_starts_one_server) {
  add("echo", test::echo_server());
  remember();
  const test::Said result = mcp(R"({"tool":"echo_echo","args":{"text":"hi"}})");
  EXPECT_EQ(text_of(result), "hi");
  EXPECT_FALSE(result.is_error);
  EXPECT_EQ(starts["echo"], 1);
  EXPECT_EQ(result.details,
            R"({"mode":"call","server":"echo","tool":"echo","canonicalTool":"echo_echo",)"
            R"("mcpResult":{"content":[{"type":"text","text":"hi"}]}})");
}

TEST_F(CompatCall, a_server_that_proves_dead_before_it_has_seen_the_call_is_started_again_once) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  links["echo"]->broken = "cannot write: Broken pipe";
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":{"text":"hi"}})"), "hi");
  EXPECT_EQ(starts["echo"], 2);
}

TEST_F(CompatCall, a_call_that_a_server_may_have_seen_is_never_sent_again) {
  int calls = 0;
  test::FakeServer& server = add("echo", test::echo_server());
  server.on_call = [&calls](test::ScriptedLink& link, const rpc::Message&) {
    ++calls;
    link.end_with("killed by SIGKILL");
    return std::string();
  };
  const test::Said result = mcp(R"({"tool":"echo_echo","args":{"text":"hi"}})");
  EXPECT_THAT(result.text, HasSubstr("killed by SIGKILL before it answered tools/call"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatCall, row_24_25_args_as_json_text_and_as_object) {
  add("echo", test::echo_server());
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":"{\"text\":\"hi\"}"})"), "hi");
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":{"text":"hi"}})"), "hi");
}

TEST_F(CompatCall, args_reach_the_server_with_the_bytes_that_arrived) {
  add("echo", test::echo_server());
  text(R"({"tool":"echo_echo","args":{ "text" : "\u0068i"  }})");
  EXPECT_EQ(
      links["echo"]->count_sent(R"("params":{"name":"echo","arguments":{ "text" : "\u0068i"  }})"),
      1U);
}

TEST_F(CompatCall, row_28_errors_of_a_tool) {
  add("err",
      answering(plain_tool("t"),
                R"("result":{"content":[{"type":"text","text":"no"}],"isError":true})"));
  options.host = render::HostKind::pi;
  const test::Said failed = mcp(R"({"tool":"err_t"})");
  EXPECT_EQ(text_of(failed), "Error: no");
  EXPECT_TRUE(failed.is_error);
  EXPECT_EQ(failed.failure, tool::Failure::tool_error);
  EXPECT_EQ(detail(failed, "error"), "\"tool_error\"");
  stop();
  options.host = render::HostKind::mcp;
  EXPECT_EQ(text(R"({"tool":"err_t"})"), "no");
}

TEST_F(CompatCall, a_failure_without_a_word_says_whose_it_is) {
  add("err", answering(plain_tool("t"), R"("result":{"content":[],"isError":true})"));
  const test::Said failed = mcp(R"({"tool":"err_t"})");
  EXPECT_EQ(failed.passed.view(),
            R"({"content":[{"type":"text","text":"Tool execution failed"},{"type":"text",)"
            R"("text":"Server \"err\" gave no reason why \"err_t\" failed."}],"isError":true})");
}

// So that no line of it passes for one of ours.
TEST_F(CompatCall, the_error_of_a_server_is_one_line) {
  add("err", answering(plain_tool("t"), R"("error":{"code":-1,"message":"no\n\nfs_write\n  x"})"));
  EXPECT_THAT(text(R"({"tool":"err_t"})"), HasSubstr("no  fs_write   x (code -1)"));
}

TEST_F(CompatCall, what_a_server_puts_below_our_name_is_left_out) {
  add("evil",
      answering(plain_tool("t"),
                R"("result":{"content":[{"type":"text","text":"a","_meta":{"pi-mcp/server":"x"}}],)"
                R"("_meta":{"pi-mcp/details":{"mode":"status"},"b":1}})"));
  EXPECT_EQ(mcp(R"({"tool":"evil_t"})").passed.view(),
            R"({"content":[{"type":"text","text":"a","_meta":{}}],"_meta":{"b":1}})");
}

TEST_F(CompatCall, row_29_protocol_errors_show_the_expected_parameters) {
  test::FakeServer server =
      answering(test::echo_tools, R"("error":{"code":-32602,"message":"unknown argument x"})");
  add("echo", std::move(server));
  const test::Said failed = mcp(R"({"tool":"echo_echo","args":{"text":"a"}})");
  EXPECT_THAT(failed.text, StartsWith("Failed to call tool: echo_echo (server \"echo\"): "));
  EXPECT_THAT(failed.text, HasSubstr("unknown argument x"));
  EXPECT_THAT(failed.text, EndsWith("\n\nExpected parameters:\n  text (string) *required*"));
  EXPECT_EQ(detail(failed, "error"), "\"call_failed\"");
  EXPECT_EQ(detail(failed, "canonicalTool"), "\"echo_echo\"");
}

TEST_F(CompatCall, an_error_of_the_servers_own_shows_no_parameters) {
  add("echo", answering(test::echo_tools, R"("error":{"code":-32603,"message":"disk full"})"));
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":{"text":"a"}})"),
            "Failed to call tool: echo_echo (server \"echo\"): disk full (code -32603)");
}

TEST_F(CompatCall, a_misspelt_argument_is_refused_before_a_server_starts) {
  add("echo", test::echo_server());
  remember();
  EXPECT_THAT(text(R"({"tool":"echo_echo","args":{"text":"a","txt":"b"}})"),
              StartsWith("Failed to call tool: echo_echo (server \"echo\"): txt: unknown "
                         "property, did you mean \"text\"?\n\nExpected parameters:"));
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatCall, wrong_arguments_start_no_server_and_show_what_is_expected) {
  add("echo", test::echo_server());
  remember();
  const test::Said failed = mcp(R"({"tool":"echo_echo","args":{"text":5}})");
  EXPECT_THAT(failed.text, HasSubstr("(server \"echo\"): text: expected string, got "));
  EXPECT_THAT(failed.text, EndsWith("\n\nExpected parameters:\n  text (string) *required*"));
  EXPECT_EQ(detail(failed, "error"), "\"call_failed\"");
  EXPECT_EQ(failed.failure, tool::Failure::usage);
  EXPECT_THAT(text(R"({"tool":"echo_echo"})"), HasSubstr("(server \"echo\"): text: required"));
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatCall, an_object_written_as_json_text_is_repaired) {
  add("s",
      answering(R"([{"name":"t","inputSchema":{"type":"object","properties":)"
                R"({"filter":{"type":"object"}}}}])",
                R"("result":{"content":[{"type":"text","text":"ok"}]})"));
  EXPECT_EQ(text(R"({"tool":"s_t","args":{"filter":"{\"a\":1}"}})"), "ok");
  EXPECT_EQ(links["s"]->count_sent(R"("arguments":{"filter":{"a":1}})"), 1U);
}

TEST_F(CompatCall, a_tool_of_the_host_is_named_as_such_unless_a_server_has_it) {
  add("echo", test::echo_server());
  remember();
  const auto call = [this](std::string tool) {
    tool::ToolRequest request;
    request.mode = tool::Mode::call;
    request.subject = std::move(tool);
    request.is_of_host = true;
    return said(wait(session().run(std::move(request), {})));
  };
  const test::Said hint = call("ask_user");
  EXPECT_EQ(
      hint.text,
      "\"ask_user\" is a tool of Pi, not one of a server. Call ask_user itself, without mcp.");
  EXPECT_EQ(detail(hint, "error"), "\"native_tool\"");
  EXPECT_THAT(call("echo_echo").text, Not(HasSubstr("Pi")));
  EXPECT_THAT(text(R"({"tool":"read"})"), Not(HasSubstr("Pi")));
}

TEST_F(CompatCall, row_31_the_same_tool_on_two_servers) {
  settings.tool_prefix = config::ToolPrefix::none;
  add("a",
      answering(plain_tool("same"), R"("result":{"content":[{"type":"text","text":"from a"}]})"));
  add("b",
      answering(plain_tool("same"), R"("result":{"content":[{"type":"text","text":"from b"}]})"));
  remember();
  EXPECT_EQ(text(R"({"tool":"same","server":"b"})"), "from b");
  EXPECT_EQ(text(R"({"tool":"same","server":"a"})"), "from a");
  const test::Said both = mcp(R"({"tool":"same"})");
  EXPECT_EQ(detail(both, "error"), "\"ambiguous_tool\"");
  EXPECT_THAT(both.text, StartsWith("Tool \"same\" matches multiple servers. Specify a server"));
}

TEST_F(CompatCall, row_32_hyphens_and_underscores_are_the_same) {
  add("context7",
      answering(plain_tool("resolve-library-id"),
                R"("result":{"content":[{"type":"text","text":"found"}]})"));
  remember();
  for (const char* name : {"context7_resolve-library-id",
                           "context7_resolve_library_id",
                           "resolve-library-id",
                           "resolve_library_id"}) {
    EXPECT_EQ(text(R"({"tool":")" + std::string(name) + "\"}"), "found") << name;
  }
  EXPECT_EQ(links["context7"]->count_sent(R"("name":"resolve-library-id")"), 4U);
}

TEST_F(CompatCall, row_33_34_prefix_modes) {
  struct Case {
    config::ToolPrefix prefix;
    const char* name;
  };
  const Case cases[] = {{config::ToolPrefix::server, "xcodebuild-mcp_list_sims"},
                        {config::ToolPrefix::short_, "xcodebuild_list_sims"},
                        {config::ToolPrefix::none, "list_sims"},
                        {config::ToolPrefix::mcp, "mcp__xcodebuild-mcp_list_sims"}};
  add("xcodebuild-mcp",
      answering(plain_tool("list_sims"), R"("result":{"content":[{"type":"text","text":"ok"}]})"));
  for (const Case& each : cases) {
    stop();
    settings.tool_prefix = each.prefix;
    EXPECT_THAT(text(R"({"connect":"xcodebuild-mcp"})"), EndsWith("- " + std::string(each.name)));
    for (const Case& historic : cases) {
      EXPECT_EQ(text(R"({"tool":")" + std::string(historic.name) + "\"}"), "ok") << historic.name;
    }
  }
}

TEST_F(CompatCall, row_35_resources_are_read_by_their_tools) {
  add("res", resource_server(R"("result":{"contents":[{"uri":"demo://r","text":"body"}]})"));
  remember();
  const test::Said read = mcp(R"({"tool":"res_read_my_resource"})");
  EXPECT_EQ(text_of(read), "body");
  EXPECT_EQ(detail(read, "resourceUri"), "\"demo://r\"");
  EXPECT_EQ(text(R"({"tool":"get_my_resource"})"), "body");
  EXPECT_EQ(links["res"]->count_sent(R"("method":"resources/read","params":{"uri":"demo://r"})"),
            2U);
  stop();
  servers["res"].configure = [](config::Server& server) {
    server.expose_resources = false;
  };
  EXPECT_EQ(detail(mcp(R"({"tool":"res_read_my_resource"})"), "error"), "\"tool_not_found\"");
}

TEST_F(CompatCall, row_36_empty_results) {
  add("s", answering(plain_tool("t"), R"("result":{"content":[]})"));
  add("res", resource_server(R"("result":{"contents":[]})"));
  EXPECT_EQ(text(R"({"tool":"s_t"})"), "(empty result)");
  EXPECT_EQ(text(R"({"tool":"res_read_my_resource"})"), "(empty resource)");
}

TEST_F(CompatCall, row_37_38_39_content_reaches_the_host) {
  const std::string result = R"({"content":[{"type":"image","data":"AA==","mimeType":"image/png"},)"
                             R"({"type":"resource_link","uri":"a:b","name":"n"}],)"
                             R"("structuredContent":{"a":1}})";
  add("s", answering(plain_tool("t"), R"("result":)" + result));
  EXPECT_EQ(mcp(R"({"tool":"s_t"})").passed.view(), result);
  stop();
  options.host = render::HostKind::pi;
  EXPECT_EQ(mcp(R"({"tool":"s_t"})").passed.view(),
            R"({"content":[{"type":"image","data":"AA==","mimeType":"image/png"},)"
            R"({"type":"text","text":"[Resource Link: n]\nURI: a:b"},)"
            R"({"type":"text","text":"{\"a\":1}"}]})");
}

std::string five_thousand_lines() {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "line\n";
  }
  return R"("result":{"content":[{"type":"text","text":)" + json::quoted(text) + "}]}";
}

TEST_F(CompatCall, row_40_long_output_is_cut_and_kept_in_a_file_of_its_owner) {
  environment.variables["TMPDIR"] = dir;
  add("s", answering(plain_tool("t"), five_thousand_lines()));
  const test::Said cut = mcp(R"({"tool":"s_t"})");
  const std::string shown = text_of(cut);
  EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 2000);
  const json::Document details = json::Document::parse(std::string(cut.details)).value();
  const std::string path = details.root().at({"outputGuard", "fullOutputPath"}).string_or("");
  EXPECT_THAT(shown, HasSubstr(path));
  EXPECT_EQ(io::read_file(path).value().value().size(), 25'000U);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(details.root().at({"mcpResult", "omitted"}).bool_or(false), true);
  EXPECT_EQ(details.root().at({"mcpResult", "contentBlocks"}).as_int(), 1);
}

TEST_F(CompatCall, row_40_the_environment_switches_the_guard_off) {
  environment.variables["MCP_OUTPUT_GUARD"] = "0";
  add("s", answering(plain_tool("t"), five_thousand_lines()));
  EXPECT_EQ(text(R"({"tool":"s_t"})").size(), 25'000U);
}

TEST_F(CompatCall, long_texts_of_our_own_are_cut_too) {
  environment.variables["TMPDIR"] = dir;
  test::FakeServer server = test::echo_server();
  server.instructions = std::string(200'000, 'i');
  add("echo", std::move(server));
  mcp(R"({"connect":"echo"})");
  EXPECT_LE(text(R"({"instructions":"echo"})").size(), 40'000U);
}

TEST_F(CompatCall, row_79_tools_of_a_disabled_server) {
  add("off", test::echo_server());
  remember();
  servers["off"].configure = [](config::Server& server) {
    server.disabled = true;
  };
  const test::Said refused = mcp(R"({"tool":"off_echo","args":{"text":"a"}})");
  EXPECT_EQ(detail(refused, "error"), "\"server_disabled\"");
  EXPECT_EQ(detail(refused, "requestedTool"), "\"off_echo\"");
  EXPECT_THAT(refused.text,
              StartsWith("Server \"off\" is disabled. To use it again, run: pi-mcp enable off"));
  EXPECT_EQ(detail(mcp(R"({"tool":"echo","server":"off"})"), "error"), "\"server_disabled\"");
  EXPECT_EQ(detail(mcp(R"({"tool":"off_unknown"})"), "error"), "\"server_disabled\"");
  EXPECT_TRUE(starts.empty());
}

TEST_F(CompatCall, an_unknown_server_is_named) {
  const test::Said unknown = mcp(R"({"tool":"t","server":"x"})");
  EXPECT_EQ(unknown.text, "Server \"x\" not found. Use mcp({}) to see available servers.");
  EXPECT_EQ(detail(unknown, "error"), "\"server_not_found\"");
  EXPECT_EQ(detail(unknown, "requestedTool"), "\"t\"");
}

TEST_F(CompatCall, row_84_a_tool_that_appears_at_run_time_is_found_and_cached) {
  add("echo", test::echo_server());
  mcp(R"({"connect":"echo"})");
  servers["echo"].tools = R"([{"name":"fresh","description":"Brand new"}])";
  links["echo"]->deliver(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  run_until([this] {
    return !session().catalog().tools("echo").empty() &&
           session().catalog().tools("echo").front().original == "fresh";
  });
  EXPECT_THAT(text(R"({"search":"brand new"})"), HasSubstr("echo_fresh"));
  const catalog::CacheFile cache(dir);
  EXPECT_THAT(io::read_file(cache.path()).value().value(), HasSubstr("\"fresh\""));
}

TEST_F(CompatCall, a_long_session_writes_the_cache_soon_after_the_start_and_at_its_end) {
  add("one", test::echo_server());
  add("two", test::echo_server());
  const catalog::CacheFile cache(dir);
  ASSERT_TRUE(io::write_file(cache.path(), R"({"version":1,"servers":{}})"));
  const auto cached = [&cache] {
    return io::read_file(cache.path()).value().value();
  };
  wait(session().warm_up());
  mcp(R"({"connect":"one"})");
  EXPECT_THAT(cached(), Not(HasSubstr("\"one\""))) << "the call waited for the file";
  run_until([&] { return cached().find("\"one\"") != std::string::npos; });
  mcp(R"({"connect":"two"})");
  stop();
  EXPECT_THAT(cached(), HasSubstr("\"two\""));
}

TEST_F(CompatCall, a_cached_tool_that_is_gone_after_the_start_is_not_called) {
  add("echo", test::echo_server());
  remember();
  servers["echo"].tools = plain_tool("other");
  const test::Said gone = mcp(R"({"tool":"echo_echo","args":{"text":"a"}})");
  EXPECT_EQ(detail(gone, "error"), "\"tool_not_found_after_reconnect\"");
  EXPECT_EQ(gone.text,
            "Tool \"echo_echo\" not found on \"echo\" after reconnect. Available tools on "
            "\"echo\": echo_other");
}

TEST_F(CompatCall, arguments_are_checked_again_when_the_fresh_schema_differs) {
  add("echo", test::echo_server());
  remember();
  servers["echo"].tools =
      R"([{"name":"echo","inputSchema":{"type":"object","required":["voice"]}}])";
  const test::Said failed = mcp(R"({"tool":"echo_echo","args":{"text":"a"}})");
  EXPECT_THAT(failed.text, HasSubstr("\"): voice"));
  EXPECT_EQ(links["echo"]->count_sent("tools/call"), 0U);
}

io::Task<void> run_into(Session* session, std::string tool, tool::Answer* result, bool* done) {
  tool::ToolRequest request;
  request.mode = tool::Mode::call;
  request.subject = std::move(tool);
  *result = co_await session->run(std::move(request), {});
  *done = true;
}

TEST_F(CompatCall, row_88_cancelling_reaches_the_server_and_returns_at_once) {
  add("slow", answering(plain_tool("t"), ""));
  mcp(R"({"connect":"slow"})");
  io::TaskGroup tasks(context.get_executor());
  tool::Answer result;
  bool done = false;
  tasks.spawn("call", run_into(&session(), "slow_t", &result, &done), io::log_only);
  run_until([this] { return links["slow"]->count_sent("tools/call") == 1; });
  tasks.cancel();
  run_until([&done] { return done; });
  wait(tasks.join());
  EXPECT_EQ(detail(said(result), "error"), "\"aborted\"");
  EXPECT_EQ(result.failure, tool::Failure::cancelled);
  EXPECT_EQ(links["slow"]->count_sent("notifications/cancelled"), 1U);
}

TEST_F(CompatCall, row_53_a_secret_command_runs_once_for_simultaneous_first_calls) {
  add("echo", test::echo_server()).configure = [this](config::Server& server) {
    server.env["TOKEN"] = "!echo run >> " + dir + "/runs; echo secret";
  };
  std::array<tool::Answer, 3> results;
  std::array<bool, 3> ended{};
  io::TaskGroup tasks(context.get_executor());
  for (std::size_t i = 0; i < results.size(); ++i) {
    tasks.spawn(
        "call", run_into(&session(), "echo_echo", &results.at(i), &ended.at(i)), io::log_only);
  }
  run_until([&ended] { return ended[0] && ended[1] && ended[2]; });
  wait(tasks.join());
  EXPECT_EQ(io::read_file(dir + "/runs").value().value(), "run\n");
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatCall, when_the_call_that_runs_a_secret_command_is_cancelled_another_one_goes_on) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.env["TOKEN"] = "!echo secret";
  };
  std::array<tool::Answer, 2> results;
  std::array<bool, 2> ended{};
  io::TaskGroup tasks(context.get_executor());
  const auto first = tasks.spawn(
      "call", run_into(&session(), "echo_echo", results.data(), ended.data()), io::log_only);
  tasks.spawn("call", run_into(&session(), "echo_echo", &results[1], &ended[1]), io::log_only);
  for (int turns = 0; turns < 4; ++turns) {
    context.poll_one();
  }
  tasks.cancel(first);
  run_until([&ended] { return ended[0] && ended[1]; });
  wait(tasks.join());
  EXPECT_EQ(results[0].failure, tool::Failure::cancelled);
  EXPECT_EQ(results[1].failure, tool::Failure::usage) << "it got as far as its arguments";
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(CompatCall, row_89_a_slow_tool_fails_at_its_request_timeout) {
  add("slow", answering(plain_tool("t"), "")).configure = [](config::Server& server) {
    server.request_timeout = Milliseconds(50);
  };
  const test::Said late = mcp(R"({"tool":"slow_t"})");
  EXPECT_THAT(late.text, StartsWith("Failed to call tool: "));
  EXPECT_THAT(late.text, Not(HasSubstr("Expected parameters")));
  EXPECT_EQ(detail(late, "error"), "\"call_failed\"");
  EXPECT_EQ(late.failure, tool::Failure::timed_out);
}

TEST_F(CompatCall, a_server_that_dies_during_a_call_says_how_and_the_next_call_starts_it_again) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink& link, const rpc::Message&) {
    link.end_with("killed by SIGSEGV", "segmentation fault\n");
    return std::string();
  };
  add("echo", std::move(server));
  const test::Said failed = mcp(R"({"tool":"echo_echo","args":{"text":"a"}})");
  EXPECT_THAT(failed.text, StartsWith("Failed to call tool: "));
  EXPECT_THAT(failed.text, HasSubstr("killed by SIGSEGV"));
  EXPECT_EQ(failed.failure, tool::Failure::unavailable);
  EXPECT_THAT(text("{}"), HasSubstr("\u25cb echo (2 tools, cached)"));
  servers["echo"].on_call = test::echo_answer;
  EXPECT_EQ(text(R"({"tool":"echo_echo","args":{"text":"again"}})"), "again");
  EXPECT_EQ(starts["echo"], 2);
}

TEST_F(CompatCall, progress_and_phases_are_told) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink& link, const rpc::Message& request) {
    const json::Value token = request.params().at({"_meta", "progressToken"});
    link.deliver(
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
        std::string(token.raw()) + R"(,"progress":1,"message":"half"}})");
    return test::echo_answer(link, request);
  };
  add("echo", std::move(server));
  std::vector<std::string> told;
  tool::CallContext watched;
  watched.on_phase = [&told](std::string_view what) {
    told.emplace_back(what);
  };
  watched.on_asked = watched.on_phase;
  watched.on_progress = [&told](json::Value params) {
    told.push_back(params.find("message").string_or(""));
  };
  mcp(R"({"tool":"echo_echo","args":{"text":"a"}})", std::move(watched));
  EXPECT_EQ(told, (std::vector<std::string>{"starting echo", "calling echo_echo", "half"}));
}

TEST_F(CompatCall, log_messages_carry_the_name_of_their_server) {
  add("echo", test::echo_server());
  Listener listener(session());
  mcp(R"({"connect":"echo"})");
  links["echo"]->deliver(R"({"jsonrpc":"2.0","method":"notifications/message",)"
                         R"("params":{"level":"info","data":"hello"}})");
  run_until([&listener] { return !listener.said.empty(); });
  EXPECT_THAT(listener.said, testing::ElementsAre("echo hello"));
}

TEST_F(SessionWarmUp, row_46_the_first_run_connects_every_server_once_and_the_second_none) {
  add("a", test::echo_server());
  add("b", test::echo_server());
  add("off", test::echo_server()).configure = [](config::Server& server) {
    server.disabled = true;
  };
  wait(session().warm_up());
  run_until([this] { return session().status()[1].tools == 2; });
  stop();
  EXPECT_EQ(starts, (std::map<std::string, int>{{"a", 1}, {"b", 1}}));
  wait(session().warm_up());
  stop();
  EXPECT_EQ(starts["a"], 1);
}

TEST_F(SessionWarmUp, row_46_a_first_run_whose_servers_all_fail_is_still_the_only_one) {
  add("flaky", {}).refuses = "exited with status 1";
  wait(session().warm_up());
  run_until([this] { return starts["flaky"] == 1; });
  stop();
  wait(session().warm_up());
  stop();
  EXPECT_EQ(starts["flaky"], 1);
}

TEST_F(SessionWarmUp, row_45_a_corrupt_cache_starts_nothing_and_is_replaced) {
  ASSERT_TRUE(io::write_file(dir + "/mcp-cache.json", "garbage").has_value());
  add("echo", test::echo_server());
  wait(session().warm_up());
  EXPECT_THAT(text("{}"), HasSubstr("echo (not connected)"));
  EXPECT_TRUE(starts.empty());
  mcp(R"({"connect":"echo"})");
  stop();
  EXPECT_THAT(text("{}"), HasSubstr("echo (2 tools, cached)"));
}

TEST_F(SessionWarmUp, row_47_eager_servers_start_with_the_session) {
  add("lazy", test::echo_server());
  add("eager", test::echo_server()).configure = [](config::Server& server) {
    server.lifecycle = config::LifecycleMode::eager;
  };
  remember();
  wait(session().warm_up());
  run_until(
      [this] { return session().status()[1].state == servers::ServerStatus::State::connected; });
  EXPECT_EQ(starts, (std::map<std::string, int>{{"eager", 1}}));
}

TEST_F(SessionWarmUp, a_server_that_is_kept_is_tried_again_while_its_secret_command_fails) {
  const std::string secret = dir + "/secret";
  add("kept", test::echo_server()).configure = [secret](config::Server& server) {
    server.lifecycle = config::LifecycleMode::keep_alive;
    server.env["TOKEN"] = "!cat " + secret;
  };
  wait(session().warm_up());
  run_until([this] { return session().status()[0].state == servers::ServerStatus::State::failed; });
  EXPECT_EQ(starts["kept"], 0);
  ASSERT_TRUE(io::write_file(secret, "now it is there").has_value());
  run_until(
      [this] { return session().status()[0].state == servers::ServerStatus::State::connected; });
  EXPECT_EQ(starts["kept"], 1);
}

TEST_F(SessionWarmUp, the_end_of_a_kept_server_and_its_return_are_told_once) {
  add("kept", test::echo_server()).configure = [](config::Server& server) {
    server.lifecycle = config::LifecycleMode::keep_alive;
  };
  add("eager", test::echo_server()).configure = [](config::Server& server) {
    server.lifecycle = config::LifecycleMode::eager;
  };
  Listener listener(session());
  const std::vector<registry::Notice>& told = listener.notices;
  wait(session().warm_up());
  run_until([&told] { return told.size() == 1; });
  mcp(R"({"action":"reconnect","server":"kept"})");
  links["eager"]->end_with("exited with status 1");
  run_until([this] { return !session().status()[1].last_error.empty(); });
  EXPECT_EQ(told.size(), 1U) << "nobody is told of what was stopped or is not kept";

  links["kept"]->end_with("killed by SIGKILL");
  run_until([&told] { return told.size() == 3; });
  EXPECT_EQ(told[1].level, registry::LogLevel::warning);
  EXPECT_EQ(told[1].text, "MCP: kept ended (killed by SIGKILL) and is started again");
  EXPECT_EQ(told[2].level, registry::LogLevel::info);
  EXPECT_EQ(told[2].text, "MCP: kept is back");
  EXPECT_EQ(session().status()[0].last_error, "killed by SIGKILL");
  EXPECT_TRUE(session().status()[0].recovered) << "a run that goes well has not failed";
  EXPECT_FALSE(session().status()[1].recovered);
}

TEST_F(SessionWarmUp, closing_does_not_wait_for_a_server_that_hangs) {
  test::FakeServer hung;
  hung.hangs = true;
  add("hung", std::move(hung));
  wait(session().warm_up());
  run_until([this] { return starts["hung"] == 1; });
  stop();
}

}  // namespace
}  // namespace pi_mcp::gateway
