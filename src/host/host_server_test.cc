// The protocol toward a host, over a link in memory and with a real session behind it.
#include "host/host_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"
#include "tool/definition.h"

namespace pi_mcp::host {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr mcp::ServerSession::Limits limits;

class HostServer : public test::HostFixture {};

test::FakeServer silent_server() {
  test::FakeServer server;
  server.tools = R"([{"name":"t"}])";
  return server;
}

TEST_F(HostServer, answers_initialize_in_every_revision) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    begin();
    const std::string answer = initialize(version);
    EXPECT_THAT(answer, HasSubstr(R"("protocolVersion":")" + std::string(version) + "\""));
    EXPECT_THAT(answer,
                HasSubstr(R"("logging":{},"prompts":{"listChanged":true},"completions":{},)"
                          R"("resources":{"subscribe":true,"listChanged":true},"tools":)"));
    EXPECT_THAT(answer, HasSubstr(R"("version":"1.2.3")"));
    host.end_with("closed");
    wait(serving.join());
    std::destroy_at(&host);
    std::construct_at(&host, context.get_executor(), test::ScriptedLink::Script());
  }
}

TEST_F(HostServer, serves_only_ping_before_initialize) {
  begin();
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"), HasSubstr("-32600"));
  hang_up();
}

TEST_F(HostServer, row_01_lists_exactly_one_tool_whatever_is_configured) {
  for (const char* name : {"a", "b", "c"}) {
    add(name, test::echo_server());
  }
  begin_initialized();
  const std::string before = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(before,
            R"({"jsonrpc":"2.0","id":1,"result":)" + tool::tools_list_result(own_form()) + "}");
  EXPECT_THAT(before, HasSubstr("Use the user's MCP servers (a, b, c):"));
  EXPECT_LE(before.size(), 1100U);
  call(R"({"connect":"a"})");
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), before);
  hang_up();
}

// Most hosts put `_meta` into the prompt of their model.
TEST_F(HostServer, a_call_answers_with_the_bytes_of_the_server_alone) {
  add("echo", test::echo_server());
  capabilities = "{}";
  begin_initialized();
  EXPECT_EQ(call(R"({"tool":"echo_echo","args":{"text":"hi"}})", "\"x\""),
            R"({"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"hi"}]}})");
  EXPECT_THAT(call(R"({"describe":"x"})"), Not(HasSubstr("_meta")));
  hang_up();
}

TEST_F(HostServer, a_call_answers_with_details_where_the_host_wants_them) {
  add("echo", test::echo_server());
  begin_initialized();
  EXPECT_EQ(call(R"({"tool":"echo_echo","args":{"text":"hi"}})", "\"x\""),
            R"({"jsonrpc":"2.0","id":"x","result":{"_meta":{"pi-mcp/details":{"mode":"call",)"
            R"("server":"echo","tool":"echo","canonicalTool":"echo_echo",)"
            R"("mcpResult":{"content":[{"type":"text","text":"hi"}]}}},)"
            R"("content":[{"type":"text","text":"hi"}]}})");
  hang_up();
}

TEST_F(HostServer, every_failure_is_marked_as_an_error) {
  begin_initialized();
  const std::string failed = call(R"({"describe":"x"})");
  EXPECT_THAT(failed, HasSubstr(R"("isError":true)"));
  EXPECT_THAT(failed, HasSubstr(R"("pi-mcp/details":{"mode":"describe","error":"tool_not_found")"));
  EXPECT_THAT(call(R"({"tool":"t","args":"{bad"})"), HasSubstr(R"("text":"Invalid args JSON: )"));
  EXPECT_THAT(call(R"({"tool":"t","args":"[1]"})"),
              HasSubstr(R"("pi-mcp/details":{"error":"invalid_args_type")"));
  hang_up();
}

TEST_F(HostServer, refuses_what_it_does_not_have) {
  begin_initialized();
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other"}})"),
              HasSubstr(R"("code":-32602,"message":"unknown tool \"other\"; )"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/call"})"), HasSubstr("-32602"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":3,"method":"tasks/list"})"), HasSubstr("-32601"));
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"x"}})"),
              HasSubstr("-32602"));
  hang_up();
}

TEST_F(HostServer, calls_run_side_by_side) {
  add("slow", silent_server());
  add("echo", test::echo_server());
  begin_initialized();
  host.deliver(call_line(R"({"tool":"slow_t"})", "1"));
  run_until(
      [this] { return links.contains("slow") && links["slow"]->count_sent("tools/call") == 1; });
  EXPECT_THAT(call(R"({"tool":"echo_echo","args":{"text":"now"}})", "2"),
              StartsWith(R"({"jsonrpc":"2.0","id":2,)"));
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  hang_up();
}

TEST_F(HostServer, row_88_a_cancelled_call_is_cancelled_at_the_server_and_not_answered) {
  add("slow", silent_server());
  begin_initialized();
  host.deliver(call_line(R"({"tool":"slow_t"})", "1"));
  run_until(
      [this] { return links.contains("slow") && links["slow"]->count_sent("tools/call") == 1; });
  const std::size_t before = host.sent.size();
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
               R"("params":{"requestId":1,"reason":"enough"}})");
  run_until([this] { return links["slow"]->count_sent("notifications/cancelled") == 1; });
  EXPECT_EQ(links["slow"]->count_sent(R"("reason":"enough")"), 1U);
  ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(host.sent.size(), before + 1) << "only the ping is answered";
  hang_up();
}

// Calls of a server that is connected already have no task of their own.
class QuickCalls : public HostServer {
 protected:
  // A server that answers only what says "now".
  void begin_connected() {
    test::FakeServer server = test::echo_server();
    server.on_call = [](test::ScriptedLink& link, const rpc::Message& request) {
      const bool now = request.params().at({"arguments", "text"}).equals("now");
      return now ? test::echo_answer(link, request) : std::string();
    };
    add("echo", std::move(server));
    begin_initialized();
    call(R"({"connect":"echo"})");
  }
  void deliver_call(const std::string& id) {
    const std::size_t before = links["echo"]->count_sent("tools/call");
    host.deliver(call_line(R"({"tool":"echo_echo","args":{"text":"later"}})", id));
    run_until([this, before] { return links["echo"]->count_sent("tools/call") == before + 1; });
  }
};

TEST_F(QuickCalls, are_cancelled_at_the_server_and_not_answered) {
  begin_connected();
  deliver_call("1");
  const std::size_t before = host.sent.size();
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
               R"("params":{"requestId":1,"reason":"enough"}})");
  run_until([this] { return links["echo"]->count_sent("notifications/cancelled") == 1; });
  EXPECT_EQ(links["echo"]->count_sent(R"("reason":"enough")"), 1U);
  EXPECT_THAT(call(R"({"tool":"echo_echo","args":{"text":"now"}})"), HasSubstr(R"("text":"now")"))
      << "its id is free again";
  EXPECT_EQ(host.sent.size(), before + 1);
  hang_up();
}

// A trace goes on through us.
TEST_F(HostServer, what_the_host_says_in_meta_reaches_the_server) {
  add("echo", test::echo_server());
  begin_initialized();
  const std::string meta = R"({"progressToken":9,"traceparent":"00-1"})";
  const std::string args = R"({"tool":"echo_echo","args":{"text":"now"}})";
  for (const char* id : {"1", "2"}) {  // the second is a quick call
    ask(call_line(args, id, meta));
    run_until([this, id] { return host.count_sent(R"("id":)" + std::string(id) + ",") == 1; });
    EXPECT_THAT(links["echo"]->sent.back(), HasSubstr(R"("traceparent":"00-1"})"));
    EXPECT_THAT(links["echo"]->sent.back(), Not(HasSubstr(R"("progressToken":9)")));
  }
  hang_up();
}

TEST_F(HostServer, the_log_level_of_the_host_reaches_servers_that_log) {
  add("before", test::echo_server());
  add("after", test::echo_server());
  begin_initialized();
  call(R"({"connect":"before"})");
  ask(R"({"jsonrpc":"2.0","id":4,"method":"logging/setLevel","params":{"level":"debug"}})");
  EXPECT_EQ(
      links["before"]->count_sent(R"("method":"logging/setLevel","params":{"level":"debug"})"), 1U);
  call(R"({"connect":"after"})");
  EXPECT_EQ(links["after"]->count_sent("logging/setLevel"), 1U);
  hang_up();
}

TEST_F(HostServer, the_data_of_a_servers_error_is_kept) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(R"("error":{"code":-32050,"message":"No.",)"
                       R"("data":{"retryAfter":30,"api_key":"sk-abcdefghijklmnop0123456789"}})");
  };
  add("echo", std::move(server));
  begin_initialized();
  const std::string said = call(R"({"tool":"echo_echo","args":{"text":"a"}})");
  EXPECT_THAT(said, HasSubstr(R"(No. (code -32050); data: {\"retryAfter\":30,\"api_key\":\"***)"));
  EXPECT_THAT(said, HasSubstr(R"("errorData":{"retryAfter":30,)"));
  hang_up();
}

TEST_F(HostServer, initialize_introduces_the_servers_as_the_cache_knows_them) {
  add("echo", test::echo_server());
  servers["echo"].instructions = "Echoes what it hears. And more.";
  remember();
  begin();
  EXPECT_THAT(initialize("2025-06-18"),
              HasSubstr(R"("instructions":"MCP servers behind the tool mcp:\n)"
                        R"(- echo: Echoes what it hears.\nFind their tools)"));
  EXPECT_THAT(starts, testing::IsEmpty());
  hang_up();
}

TEST_F(QuickCalls, fail_when_their_server_ends) {
  begin_connected();
  deliver_call("11");
  deliver_call("12");
  links["echo"]->end_with("exited with status 1");
  run_until([this] {
    return host.count_sent(R"("id":11,)") == 1 && host.count_sent(R"("id":12,)") == 1;
  });
  EXPECT_THAT(host.sent.back(), HasSubstr("exited with status 1"));
  EXPECT_THAT(host.sent.back(), HasSubstr(R"("error":"call_failed")"));
  EXPECT_THAT(call(R"({"tool":"echo_echo","args":{"text":"now"}})", "3"),
              HasSubstr(R"("text":"now")"))
      << "the next call starts it again";
  hang_up();
}

TEST_F(QuickCalls, are_cancelled_when_the_host_ends) {
  begin_connected();
  deliver_call("1");
  hang_up();
  EXPECT_EQ(links["echo"]->count_sent("notifications/cancelled"), 1U);
}

TEST_F(QuickCalls, with_large_answers_are_answered_too) {
  begin_connected();
  const std::string large(200'000, 'x');
  servers["echo"].on_call = [large](test::ScriptedLink&, const rpc::Message&) {
    return R"("result":{"content":[{"type":"image","mimeType":"image/png","data":")" + large +
           "\"}]}";
  };
  EXPECT_THAT(call(R"({"tool":"echo_echo","args":{"text":"now"}})"), HasSubstr(large));
  hang_up();
}

TEST_F(QuickCalls, tell_which_pages_the_server_wants_opened) {
  begin_connected();
  servers["echo"].on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(
        R"("error":{"code":-32042,"message":"Not yet","data":{"elicitations":[{"mode":"url",)"
        R"("elicitationId":"e","url":"https://example.com/","message":"Log in"}]}})");
  };
  const std::string answer = call(R"({"tool":"echo_echo","args":{"text":"now"}})");
  EXPECT_THAT(answer, HasSubstr(R"("error":"url_elicitation_required")"));
  EXPECT_THAT(answer, HasSubstr("https://example.com/"));
  hang_up();
}

TEST_F(HostServer, an_id_that_is_in_use_is_refused) {
  add("slow", silent_server());
  begin_initialized();
  host.deliver(call_line(R"({"tool":"slow_t"})", "1"));
  EXPECT_THAT(call("{}", "1"), HasSubstr("-32600"));
  hang_up();
}

TEST_F(HostServer, progress_travels_under_the_token_of_the_host) {
  test::FakeServer server = test::echo_server();
  server.on_call = [](test::ScriptedLink& link, const rpc::Message& request) {
    const json::Value token = request.params().at({"_meta", "progressToken"});
    for (const char* progress : {"1", "1", "2"}) {
      link.deliver(
          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" +
          std::string(token.raw()) + R"(,"progress":)" + progress + R"(,"total":2}})");
    }
    return test::echo_answer(link, request);
  };
  add("echo", std::move(server));
  begin_initialized();
  const std::size_t before = host.sent.size();
  host.deliver(
      call_line(R"({"tool":"echo_echo","args":{"text":"a"}})", "7", R"({"progressToken":"tok"})"));
  run_until([this] { return host.count_sent(R"("id":7,)") == 1; });
  const std::vector<std::string> sent(host.sent.begin() + static_cast<std::ptrdiff_t>(before),
                                      host.sent.end());
  ASSERT_EQ(sent.size(), 4U);
  EXPECT_THAT(sent[0],
              HasSubstr(R"("progressToken":"tok","progress":0,"message":"starting echo")"));
  EXPECT_THAT(sent[1], HasSubstr(R"("progressToken":"tok","progress":1,"total":2)"));
  EXPECT_THAT(sent[2], HasSubstr(R"("progressToken":"tok","progress":2,"total":2)"));
  hang_up();
}

TEST_F(HostServer, log_messages_respect_the_level_of_the_host) {
  add("echo", test::echo_server());
  begin_initialized();
  call(R"({"connect":"echo"})");
  const auto log = [this](const std::string& level) {
    links["echo"]->deliver(
        R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":")" + level +
        R"(","data":")" + level + "\"}}");
  };
  EXPECT_EQ(
      ask(R"({"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}})"),
      R"({"jsonrpc":"2.0","id":1,"result":{}})");
  log("warning");
  log("critical");
  run_until([this] { return host.count_sent("notifications/message") == 1; });
  EXPECT_EQ(host.sent.back(),
            R"({"jsonrpc":"2.0","method":"notifications/message",)"
            R"("params":{"level":"critical","logger":"echo","data":"critical"}})");
  hang_up();
}

TEST_F(HostServer, the_end_of_the_host_cancels_every_call_and_returns) {
  add("slow", silent_server());
  begin_initialized();
  for (int id = 1; id <= 5; ++id) {
    host.deliver(call_line(R"({"tool":"slow_t"})", std::to_string(id)));
  }
  run_until(
      [this] { return links.contains("slow") && links["slow"]->count_sent("tools/call") == 5; });
  hang_up();
  EXPECT_EQ(links["slow"]->count_sent("notifications/cancelled"), 5U);
}

TEST_F(HostServer, a_hung_start_does_not_delay_the_end) {
  test::FakeServer hung = silent_server();
  hung.hangs = true;
  add("hung", std::move(hung));
  begin_initialized();
  host.deliver(call_line(R"({"tool":"hung_t"})", "1"));
  run_until([this] { return starts["hung"] == 1; });
  hang_up();
}

TEST_F(HostServer, calls_in_flight_are_bounded_and_the_next_begins_when_one_ends) {
  add("slow", silent_server());
  begin_initialized();
  for (std::size_t id = 1; id <= limits.running_max + 3; ++id) {
    host.deliver(call_line(R"({"tool":"slow_t"})", std::to_string(id)));
  }
  run_until([this] {
    return links.contains("slow") && links["slow"]->count_sent("tools/call") == limits.running_max;
  });
  EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_EQ(links["slow"]->count_sent("tools/call"), limits.running_max);
  // The host gives up the first of the three that wait.
  host.deliver(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
               std::to_string(limits.running_max + 1) + "}}");
  const rpc::Message newest = rpc::Message::parse(links["slow"]->sent.back()).value();
  links["slow"]->answer_text(newest, "done");
  run_until([this] { return links["slow"]->count_sent("tools/call") == limits.running_max + 1; });
  EXPECT_EQ(host.count_sent(R"("id":)" + std::to_string(limits.running_max + 1) + ","), 0U);
  hang_up();
}

TEST_F(HostServer, a_flood_is_read_only_as_fast_as_calls_end) {
  add("slow", silent_server());
  begin_initialized();
  const std::size_t flood = limits.running_max + limits.waiting_max + 10;
  for (std::size_t id = 1; id <= flood; ++id) {
    host.deliver(call_line(R"({"tool":"slow_t"})", std::to_string(id)));
  }
  host.deliver(R"({"jsonrpc":"2.0","id":"last","method":"ping"})");
  run_until([this] {
    return links.contains("slow") && links["slow"]->count_sent("tools/call") == limits.running_max;
  });
  EXPECT_EQ(host.count_sent("\"last\""), 0U);
  while (host.count_sent("\"last\"") == 0) {
    const rpc::Message newest = rpc::Message::parse(links["slow"]->sent.back()).value();
    const std::size_t before = links["slow"]->sent.size();
    links["slow"]->answer_text(newest, "done");
    run_until([this, before] { return links["slow"]->sent.size() > before; });
  }
  EXPECT_LE(links["slow"]->count_sent("tools/call"), limits.running_max + 12);
  hang_up();
}

TEST_F(HostServer, for_pi_content_is_reduced) {
  options.host = render::HostKind::pi;
  test::FakeServer server = silent_server();
  server.on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(R"("result":{"content":[{"type":"audio","mimeType":"audio/wav"}]})");
  };
  add("s", std::move(server));
  begin_initialized();
  EXPECT_THAT(call(R"({"tool":"s_t"})"),
              EndsWith(R"("content":[{"type":"text","text":"[Audio content: audio/wav]"}]}})"));
  hang_up();
}

// Two tools in place of one: what the host allows of the one says nothing about the other.
class SplitTool : public test::HostFixture {
 protected:
  SplitTool() { settings.split_tool = true; }
  void add_disk() {
    test::FakeServer server = test::echo_server();
    server.tools = R"([{"name":"look","description":"Looks","annotations":{"readOnlyHint":true}},)"
                   R"({"name":"put","description":"Puts","inputSchema":{"type":"object",)"
                   R"("properties":{"n":{"type":"number"}},"required":["n"]}}])";
    server.resources = R"([{"uri":"x://doc","name":"doc"}])";
    server.on_call = [](test::ScriptedLink&, const rpc::Message& request) {
      return request.method() == "resources/read"
                 ? std::string(R"("result":{"contents":[{"uri":"x://doc","text":"read"}]})")
                 : std::string(R"("result":{"content":[{"type":"text","text":"done"}]})");
    };
    add("disk", std::move(server));
    remember();
    begin_initialized();
  }
};

TEST_F(SplitTool, lists_two_tools_that_say_what_they_may_do) {
  begin_initialized();
  EXPECT_EQ(list_tools(),
            R"({"jsonrpc":"2.0","id":1,"result":)" + tool::tools_list_result(own_form()) + "}");
  hang_up();
}

TEST_F(SplitTool, mcp_calls_only_what_says_that_it_only_reads) {
  add_disk();
  EXPECT_THAT(call(R"({"tool":"disk_put","args":{}})"),
              AllOf(HasSubstr(R"("error":"needs_mcp_write")"),
                    HasSubstr(R"(mcp_write({ tool: \"disk_put\")")));
  EXPECT_TRUE(starts.empty()) << "neither started nor complained about the arguments";
  EXPECT_THAT(call(R"({"tool":"disk_look"})"), HasSubstr(R"("text":"done")"));
  EXPECT_THAT(call(R"({"tool":"disk_look"})"), HasSubstr(R"("text":"done")")) << "connected";
  EXPECT_THAT(call(R"({"tool":"disk_read_doc"})"), HasSubstr(R"("text":"read")"));
  EXPECT_THAT(call(R"({"tool":"disk_put","args":{"n":1}})"), HasSubstr("needs_mcp_write"));
  EXPECT_EQ(links["disk"]->count_sent("\"put\""), 0U);
  hang_up();
}

TEST_F(SplitTool, mcp_looks_up_and_connects_and_leaves_logins_and_restarts) {
  add_disk();
  for (const char* arguments : {"{}",
                                R"({"server":"disk"})",
                                R"({"search":"put"})",
                                R"({"describe":"disk_put"})",
                                R"({"instructions":"disk"})",
                                R"({"connect":"disk"})"}) {
    EXPECT_THAT(call(arguments), Not(HasSubstr("mcp_write"))) << arguments;
  }
  for (const char* action : {"reconnect", "auth-start", "auth-complete"}) {
    EXPECT_THAT(call(R"({"server":"disk","action":")" + std::string(action) + "\"}"),
                HasSubstr("needs_mcp_write"))
        << action;
  }
  EXPECT_EQ(starts["disk"], 1);
  EXPECT_THAT(call_direct("mcp_write", R"({"server":"disk","action":"reconnect"})"),
              HasSubstr("reconnected"));
  hang_up();
}

TEST_F(SplitTool, mcp_write_calls_every_tool) {
  add_disk();
  EXPECT_THAT(call_direct("mcp_write", R"({"tool":"disk_put","args":{"n":1}})"),
              HasSubstr(R"("text":"done")"));
  EXPECT_THAT(call_direct("mcp_write", R"({"tool":"disk_look"})"), HasSubstr(R"("text":"done")"));
  EXPECT_THAT(call_direct("mcp_write", R"({"search":"put"})"), HasSubstr("disk_put"));
  hang_up();
}

TEST_F(SplitTool, what_a_started_server_says_counts_and_not_the_cache) {
  add_disk();
  servers["disk"].tools = R"([{"name":"look"}])";
  EXPECT_THAT(call(R"({"tool":"disk_look"})"), HasSubstr("needs_mcp_write"));
  EXPECT_EQ(links["disk"]->count_sent("\"look\""), 0U);
  hang_up();
}

TEST_F(SplitTool, tools_that_mcp_may_call_are_marked) {
  add_disk();
  const std::string found = call(R"({"search":"looks puts"})");
  EXPECT_THAT(found, HasSubstr("disk_look (read-only)"));
  EXPECT_THAT(found, Not(HasSubstr("disk_put (read-only)")));
  EXPECT_THAT(call(R"({"describe":"disk_look"})"), HasSubstr("disk_look (read-only)"));
  hang_up();
}

TEST_F(HostServer, without_a_split_there_is_no_mcp_write_and_no_mark) {
  add("echo", test::echo_server());
  begin_initialized();
  EXPECT_THAT(call_direct("mcp_write", "{}"), HasSubstr("unknown tool"));
  EXPECT_THAT(call(R"({"connect":"echo"})"), Not(HasSubstr("read-only")));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::host
