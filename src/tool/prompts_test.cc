// Prompts of servers as a host sees them.
#include "tool/prompts.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host_fixture.h"

namespace pi_mcp::tool {
namespace {

using testing::HasSubstr;

class CompatPrompts : public test::HostFixture {
 protected:
  void add_with_prompts() {
    test::FakeServer server = test::echo_server();
    server.prompts = R"([{"name":"greet","description":"Says hello","arguments":)"
                     R"([{"name":"who","required":true}]}])";
    server.on_call = [](test::ScriptedLink& /*link*/, const rpc::Message& request) {
      return request.params().find("name").equals("greet")
                 ? R"("result":{"messages":[{"role":"user","content":)" +
                       std::string(request.params().at({"arguments", "who"}).raw()) + "}]}"
                 : std::string(R"("error":{"code":-32602,"message":"no such prompt"})");
    };
    add("echo", std::move(server));
  }
  std::string list_prompts() { return ask(R"({"jsonrpc":"2.0","id":1,"method":"prompts/list"})"); }
  std::string get(const std::string& name) {
    return ask(R"({"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":")" + name +
               R"(","arguments":{"who":"Ada"}}})");
  }
};

TEST_F(CompatPrompts, row_86_prompts_are_listed_from_the_cache) {
  add_with_prompts();
  remember();
  begin_initialized();
  EXPECT_EQ(list_prompts(),
            R"({"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"echo__greet",)"
            R"("description":"Says hello","arguments":[{"name":"who","required":true}]}]}})");
  EXPECT_TRUE(starts.empty());
  hang_up();
}

TEST_F(CompatPrompts, row_86_the_servers_answer_passes_unchanged) {
  add_with_prompts();
  remember();
  begin_initialized();
  EXPECT_EQ(get("echo__greet"),
            R"({"jsonrpc":"2.0","id":2,"result":{"messages":[{"role":"user","content":"Ada"}]}})");
  EXPECT_EQ(starts["echo"], 1);
  hang_up();
}

// Server "a" has "b__c", server "a__b" has "c".
TEST_F(CompatPrompts, one_of_two_with_the_same_name_is_only_got_from_the_named_server) {
  for (const auto& [name, prompt] : {std::pair("a", "b__c"), std::pair("a__b", "c")}) {
    test::FakeServer server = test::echo_server();
    server.prompts = R"([{"name":")" + std::string(prompt) + "\"}]";
    server.on_call = [name](test::ScriptedLink&, const rpc::Message&) {
      return R"("result":{"messages":[],"from":")" + std::string(name) + "\"}";
    };
    add(name, std::move(server));
  }
  remember();
  begin_initialized();
  EXPECT_THAT(list_prompts(), HasSubstr(R"x({"name":"a__b__c","title":"b__c (a)"})x"));
  EXPECT_THAT(list_prompts(), HasSubstr(R"x({"name":"a__b__c","title":"c (a__b)"})x"));
  EXPECT_THAT(get("a__b__c"),
              HasSubstr(R"x("code":-32602,"message":"the servers a, a__b have a prompt )x"
                        R"x(\"a__b__c\"; params._meta[\"pi-mcp/server\"] says whose is meant)x"));
  EXPECT_TRUE(starts.empty());
  EXPECT_THAT(ask(R"({"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"a__b__c",)"
                  R"("_meta":{"pi-mcp/server":"a__b"}}})"),
              HasSubstr(R"("from":"a__b")"));
  hang_up();
}

TEST_F(CompatPrompts, an_error_of_the_server_passes_with_its_data) {
  add_with_prompts();
  servers["echo"].on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(R"("error":{"code":-32042,"message":"m","data":{"elicitations":[1.0]}})");
  };
  remember();
  begin_initialized();
  EXPECT_EQ(get("echo__greet"),
            R"({"jsonrpc":"2.0","id":2,"error":{"code":-32042,"message":"m",)"
            R"("data":{"elicitations":[1.0]}}})");
  hang_up();
}

TEST_F(CompatPrompts, icons_titles_and_meta_reach_the_host) {
  add_with_prompts();
  servers["echo"].prompts = R"([{"name":"greet","icons":[],"_meta":{"a":1},"arguments":)"
                            R"([{"name":"who","title":"Who"}]}])";
  remember();
  begin_initialized();
  EXPECT_THAT(list_prompts(),
              HasSubstr(R"({"name":"echo__greet","arguments":[{"name":"who","title":"Who"}],)"
                        R"("icons":[],"_meta":{"a":1}})"));
  hang_up();
}

TEST_F(CompatPrompts, getting_one_of_a_running_server_reads_no_list_again) {
  add_with_prompts();
  remember();
  begin_initialized();
  get("echo__greet");
  get("echo__greet");
  EXPECT_EQ(links["echo"]->count_sent("prompts/list"), 1U);
  EXPECT_EQ(links["echo"]->count_sent("prompts/get"), 2U);
  hang_up();
}

TEST_F(CompatPrompts, a_name_of_a_server_that_nobody_has_asked_starts_it) {
  add_with_prompts();
  begin_initialized();
  EXPECT_THAT(get("echo__greet"), HasSubstr("Ada"));
  EXPECT_THAT(get("echo__no"), HasSubstr("unknown prompt"));
  EXPECT_EQ(starts["echo"], 1);
  hang_up();
}

TEST_F(CompatPrompts, a_name_that_a_running_server_lists_since_is_found) {
  pool_options.list_fresh_min = Milliseconds(0);
  add_with_prompts();
  remember();
  begin_initialized();
  get("echo__greet");
  servers["echo"].prompts = R"([{"name":"greet"},{"name":"new"}])";
  EXPECT_THAT(get("echo__new"), HasSubstr("no such prompt"));
  hang_up();
}

TEST_F(CompatPrompts, an_error_of_the_wrong_protocol_says_which_was_spoken) {
  add_with_prompts();
  servers["echo"].on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return std::string(R"("error":{"code":-32603,"message":"Handler returned an invalid result",)"
                       R"("data":1})");
  };
  remember();
  begin_initialized();
  EXPECT_THAT(get("echo__greet"),
              testing::AllOf(HasSubstr(R"(invalid result\n[pi-mcp spoke revision 2025-06-18)"),
                             HasSubstr(R"("data":1)")));
  hang_up();
}

TEST_F(CompatPrompts, failures_say_what_failed) {
  add_with_prompts();
  remember();
  servers["echo"].refuses = "it is broken";
  begin_initialized();
  EXPECT_THAT(get("nobody__x"), HasSubstr(R"("code":-32602,"message":"unknown prompt)"));
  EXPECT_THAT(get("echo__greet"), HasSubstr("it is broken"));
  hang_up();
}

TEST_F(CompatPrompts, a_host_that_listed_is_told_of_new_ones) {
  add_with_prompts();
  begin_initialized();
  EXPECT_THAT(list_prompts(), HasSubstr(R"("prompts":[])"));
  host.deliver(call_line(R"({"connect":"echo"})", "3"));
  const std::string notice = R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})";
  run_until([this, &notice] {
    return host.sent.back().starts_with(R"({"jsonrpc":"2.0","id":3,)") &&
           std::find(host.sent.begin(), host.sent.end(), notice) != host.sent.end();
  });
  EXPECT_THAT(list_prompts(), HasSubstr("echo__greet"));
  hang_up();
}

}  // namespace
}  // namespace pi_mcp::tool
