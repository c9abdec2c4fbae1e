// Several sessions of one gateway: what they share, and what one of them cannot do to another.
#include "gateway/gateway.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* other_tools =
    R"([{"name":"echo","inputSchema":{"type":"object"}},{"name":"new","inputSchema":{"type":"object"}}])";

class Listener final : public registry::SessionObserver {
 public:
  explicit Listener(Session& session) : session_(session) { session_.add_observer(*this); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  Listener(Listener&&) = delete;
  Listener& operator=(Listener&&) = delete;
  ~Listener() override { session_.remove_observer(*this); }

  void changed(registry::Changes changes) override {
    listings += changes.listings ? 1 : 0;
    tools += changes.tools ? 1 : 0;
  }

  int listings = 0;
  int tools = 0;

 private:
  Session& session_;
};

class GatewaySessions : public test::SessionFixture {
 protected:
  Session& open() { return gateway().open(make_settings(), make_environment(), options); }

  std::string ask(Session& session, const std::string& arguments) {
    const Result<json::Document> document = json::Document::parse(arguments);
    auto request = tool::parse_tool_request(*document, document->root());
    EXPECT_TRUE(request.has_value()) << arguments;
    const tool::Answer answer = wait(session.run(*std::move(request), {}));
    return text_of({.text = session.text_of(answer, tool::Reader::model),
                    .details = "",
                    .passed = answer.passed,
                    .is_error = answer.is_error(),
                    .failure = answer.failure});
  }
  void connect(Session& session) { ask(session, R"({"connect":"echo"})"); }

  static std::vector<std::string> names(const Session& session) {
    std::vector<std::string> names;
    for (const catalog::CatalogTool& tool : session.catalog().tools("echo")) {
      names.push_back(tool.name);
    }
    return names;
  }

  // The server tells that it has other tools now.
  void change_list(const std::string& tools) {
    servers["echo"].tools = tools;
    links["echo"]->deliver(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  }

  [[nodiscard]] std::size_t catalogs() { return gateway().catalogs().size(); }
};

TEST_F(GatewaySessions, of_one_configuration_read_the_cache_and_prepare_for_search_once) {
  add("echo", test::echo_server());
  remember();
  Session& first = open();
  Session& second = open();
  Session& third = open();
  EXPECT_THAT(ask(first, R"({"search":"echo"})"), HasSubstr("echo_echo"));
  std::filesystem::remove(dir + "/mcp-cache.json");
  EXPECT_THAT(ask(second, R"({"search":"numbers"})"), HasSubstr("echo_add"));
  EXPECT_THAT(ask(third, R"({"server":"echo"})"), HasSubstr("echo_add"));
  EXPECT_EQ(&first.catalog(), &second.catalog());
  EXPECT_EQ(&first.catalog(), &third.catalog());
  EXPECT_EQ(catalogs(), 1U);
  EXPECT_EQ(starts["echo"], 0);
}

TEST_F(GatewaySessions, know_what_one_of_them_has_learnt) {
  add("echo", test::echo_server());
  Session& first = open();
  Session& second = open();
  Listener listener(second);
  second.direct_tools().list_result();
  connect(first);
  EXPECT_THAT(names(second), ElementsAre("echo_echo", "echo_add"));
  EXPECT_EQ(listener.listings, 1);
  EXPECT_EQ(first.status()[0].state, servers::ServerStatus::State::connected);
  EXPECT_EQ(second.status()[0].state, servers::ServerStatus::State::cached)
      << "the connection is not its";
  EXPECT_THAT(ask(second, R"({"server":"echo"})"), HasSubstr("not connected, cached"));

  connect(second);
  EXPECT_EQ(starts["echo"], 1);
  EXPECT_EQ(listener.listings, 1) << "the second one to connect brings nothing new";
  EXPECT_EQ(second.status()[0].state, servers::ServerStatus::State::connected);
}

TEST_F(GatewaySessions, all_see_a_changed_list_and_are_told_of_it_once) {
  settings.direct_tools = config::Selection{.all = true, .names = {}};
  add("echo", test::echo_server());
  Session& first = open();
  Session& second = open();
  Session& watching = open();
  connect(first);
  connect(second);
  Listener listener(watching);
  watching.direct_tools().list_result();
  change_list(other_tools);
  run_until([&] { return names(watching).size() == 2 && names(watching)[1] == "echo_new"; });
  EXPECT_THAT(names(first), ElementsAre("echo_echo", "echo_new"));
  EXPECT_THAT(names(second), ElementsAre("echo_echo", "echo_new"));
  EXPECT_EQ(listener.listings, 1) << "both connections told it";
  EXPECT_EQ(listener.tools, 1);
}

TEST_F(GatewaySessions, one_that_closes_disturbs_no_other) {
  add("echo", test::echo_server());
  Session& first = open();
  Session& second = open();
  connect(first);
  connect(second);
  wait(gateway().close(&first));
  EXPECT_EQ(ask(second, R"({"tool":"echo_echo","args":{"text":"still here"}})"), "still here");
  EXPECT_EQ(starts["echo"], 1);
  change_list(other_tools);
  run_until([&] { return names(second)[1] == "echo_new"; });
  EXPECT_EQ(catalogs(), 1U);
  wait(gateway().close(&second));
  EXPECT_EQ(catalogs(), 0U) << "freed with its last session";
}

TEST_F(GatewaySessions, one_that_takes_another_configuration_leaves_the_others_theirs) {
  add("echo", test::echo_server());
  Session& first = open();
  Session& second = open();
  connect(first);
  connect(second);
  add("more", test::echo_server());
  first.reload(make_settings());
  EXPECT_EQ(catalogs(), 2U);
  EXPECT_THAT(names(first), ElementsAre("echo_echo", "echo_add")) << "it is still connected";
  EXPECT_THAT(ask(first, "{}"), HasSubstr("more"));
  EXPECT_THAT(ask(second, "{}"), Not(HasSubstr("more")));
  EXPECT_EQ(ask(second, R"({"tool":"echo_echo","args":{"text":"as before"}})"), "as before");

  second.reload(make_settings());
  EXPECT_EQ(&first.catalog(), &second.catalog()) << "together again";
  EXPECT_EQ(catalogs(), 1U);
  EXPECT_EQ(starts["echo"], 1);
}

TEST_F(GatewaySessions, with_other_names_for_tools_are_apart) {
  add("echo", test::echo_server());
  Session& first = open();
  settings.tool_prefix = config::ToolPrefix::none;
  Session& second = open();
  servers["echo"].configure = [](config::Server& server) {
    server.exclude_tools = {"add"};
  };
  Session& third = open();
  servers["echo"].configure = [](config::Server& server) {
    server.only_tools = {"ad?"};
  };
  Session& fourth = open();
  connect(first);
  connect(second);
  connect(third);
  connect(fourth);
  EXPECT_THAT(names(first), ElementsAre("echo_echo", "echo_add"));
  EXPECT_THAT(names(second), ElementsAre("echo", "add"));
  EXPECT_THAT(names(third), ElementsAre("echo"));
  EXPECT_THAT(names(fourth), ElementsAre("add"));
  EXPECT_EQ(catalogs(), 4U);
  EXPECT_EQ(starts["echo"], 1) << "what is started is the same";
}

TEST_F(GatewaySessions, are_apart_when_they_use_a_server_as_somebody_else) {
  add("echo", test::echo_server()).configure = [](config::Server& server) {
    server.env["TOKEN"] = "${TOKEN}";
  };
  environment.variables = {{"TOKEN", "one"}, {"TERM", "xterm"}};
  open();
  environment.variables["TERM"] = "dumb";
  open();
  EXPECT_EQ(catalogs(), 1U) << "a terminal is nobody";
  environment.variables["TOKEN"] = "two";
  open();
  EXPECT_EQ(catalogs(), 2U);
}

TEST_F(GatewaySessions, whose_servers_differ_by_folder_see_each_their_own) {
  add("echo", test::echo_server()).configure = [this](config::Server& server) {
    server.cwd = environment.variables["FOLDER"];
  };
  environment.variables["FOLDER"] = dir;
  Session& here = open();
  std::filesystem::create_directory(dir + "/there");
  environment.variables["FOLDER"] = dir + "/there";
  Session& there = open();
  EXPECT_EQ(&here.catalog(), &there.catalog()) << "as the entry is the same";
  connect(here);
  servers["echo"].tools = other_tools;
  connect(there);
  EXPECT_EQ(starts["echo"], 2);
  EXPECT_THAT(names(here), ElementsAre("echo_echo", "echo_add"));
  EXPECT_THAT(names(there), ElementsAre("echo_echo", "echo_new"));
  EXPECT_EQ(ask(here, R"({"tool":"echo_echo","args":{"text":"mine"}})"), "mine");
}

TEST_F(GatewaySessions, connect_every_server_once_when_the_first_run_is_that_of_several) {
  add("echo", test::echo_server());
  Session& first = open();
  Session& second = open();
  wait(first.warm_up());
  wait(second.warm_up());
  run_until([&] { return !names(second).empty(); });
  EXPECT_EQ(first.status()[0].state, servers::ServerStatus::State::connected);
  EXPECT_EQ(second.status()[0].state, servers::ServerStatus::State::cached);
  EXPECT_EQ(starts["echo"], 1);
}

}  // namespace
}  // namespace pi_mcp::gateway
