// Several sessions of one gateway that use one server: what of it reaches whom, and when they part.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gateway/gateway.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using test::ScriptedLink;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* form =
    R"({"message":"Sure?","requestedSchema":{"type":"object","properties":{}}})";

// A host that answers at once.
class Host final : public servers::HostLink {
 public:
  explicit Host(mcp::ClientFeatures features, std::string roots = "[]")
      : roots(std::move(roots)), features_(features) {}

  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText /*params*/) override {
    asked.push_back(method);
    const std::string result =
        method == "roots/list" ? R"({"roots":)" + roots + "}" : R"({"action":"accept"})";
    co_return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
  }

  std::vector<std::string> asked;
  std::string roots;

 private:
  mcp::ClientFeatures features_;
};

// What one session hears of its servers.
class Listener final : public registry::SessionObserver {
 public:
  void server_said(std::string_view /*server*/, json::Value params) override {
    said.push_back(params.find("data").string_or(""));
  }
  void elicitation_completed(json::Value params) override {
    completed.push_back(params.find("elicitationId").string_or(""));
  }

  std::vector<std::string> said;
  std::vector<std::string> completed;
};

struct User {
  Session* session = nullptr;
  std::shared_ptr<Host> host;
  std::shared_ptr<Listener> listener = std::make_shared<Listener>();
};

// A call that may be under way.
struct Call {
  std::optional<tool::Answer> answer;
};

class Sharing : public test::SessionFixture {
 protected:
  Sharing() {
    options.sharing.with_others = true;
    environment.variables = {{"HOME", "/"}, {"PATH", "/usr/bin:/bin"}, {"ACCOUNT", "ann"}};
    add("echo", test::echo_server());
    settings.approve_tools = config::Selection{};
  }
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;
  Sharing(Sharing&&) = delete;
  Sharing& operator=(Sharing&&) = delete;
  ~Sharing() override { stop(); }  // while those who listen are there

  User open(mcp::ClientFeatures features, const std::string& roots = "[]") {
    User user;
    user.session = &gateway().open(make_settings(), make_environment(), options);
    user.host = std::make_shared<Host>(features, roots);
    user.session->meet_host(user.host);
    user.session->add_observer(*user.listener);
    listeners.push_back(user.listener);
    return user;
  }
  User open() { return open({}); }

  static tool::ToolRequest request() {
    static const Result<json::Document> document =
        json::Document::parse(std::string(R"({"tool":"echo_echo","args":{"text":"hi"}})"));
    auto made = tool::parse_tool_request(*document, document->root());
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

  std::shared_ptr<Call> begin(const User& user) {
    auto call = std::make_shared<Call>();
    tool::CallContext context_of_call;
    context_of_call.host = user.host;
    boost::asio::co_spawn(
        context,
        io::detail::run_into<tool::Answer>(
            &call->answer, user.session->run(request(), std::move(context_of_call))),
        [call](const std::exception_ptr& error) {
          if (error) {
            std::rethrow_exception(error);
          }
        });
    const std::size_t before = held.size();
    run_until([&] { return call->answer || held.size() > before; });
    return call;
  }
  // From begin() to the answer.
  void call(const User& user) {
    servers["echo"].on_call = test::echo_answer;
    const std::shared_ptr<Call> call = begin(user);
    run_until([&] { return call->answer.has_value(); });
    EXPECT_FALSE(call->answer->is_error());
  }

  // Calls are not answered from now on.
  void hold() {
    servers["echo"].on_call = [this](ScriptedLink& link, const rpc::Message& message) {
      held.push_back({&link, message.id().json()});
      return std::string();
    };
  }
  void release_all() {
    for (const Held& each : std::exchange(held, {})) {
      each.link->deliver(R"({"jsonrpc":"2.0","id":)" + each.id +
                         R"(,"result":{"content":[{"type":"text","text":"hi"}]}})");
    }
  }

  // What the server asks, and what it is told.
  std::string ask(ScriptedLink* link, const std::string& method, const std::string& params) {
    const std::string id = "\"q" + std::to_string(++questions) + "\"";
    link->deliver(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" +
                  params + "}");
    std::string told;
    run_until([&] {
      for (const std::string& line : link->sent) {
        told = line.find("\"id\":" + id) != std::string::npos ? line : told;
      }
      return !told.empty();
    });
    return told;
  }
  // The server says it, and all that it says before was heard.
  void say(ScriptedLink* link, const std::string& text) {
    link->deliver(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error",)"
                  R"("data":")" +
                  text + "\"}}");
    (void)ask(link, "ping", "{}");
  }

  ScriptedLink* link() { return links["echo"]; }
  [[nodiscard]] int started() { return starts["echo"]; }

  struct Held {
    ScriptedLink* link;
    std::string id;
  };
  std::vector<Held> held;
  std::vector<std::shared_ptr<Listener>> listeners;
  int questions = 0;
};

constexpr mcp::ClientFeatures asks{.elicitation_form = true, .elicitation_url = true};
constexpr mcp::ClientFeatures has_roots{.roots = true, .roots_list_changed = true};

TEST_F(Sharing, of_one_folder_and_environment_use_one_server) {
  const User one = open(asks);
  const User two = open(asks);
  environment.variables["ACCOUNT"] = "bob";
  const User bob = open(asks);
  call(one);
  call(two);
  EXPECT_EQ(started(), 1);
  call(bob);
  EXPECT_EQ(started(), 2);
}

TEST_F(Sharing, a_question_reaches_only_the_host_whose_call_has_caused_it) {
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  hold();
  const auto mine = begin(two);
  EXPECT_THAT(ask(link(), "elicitation/create", form), HasSubstr("accept"));
  EXPECT_THAT(one.host->asked, IsEmpty());
  EXPECT_THAT(two.host->asked, ElementsAre("elicitation/create"));
  release_all();
  run_until([&] { return mine->answer.has_value(); });
}

TEST_F(Sharing, nobody_is_asked_outside_a_call_or_where_two_sessions_have_one) {
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  ScriptedLink* const shared = link();
  hold();
  const auto first = begin(one);
  const auto second = begin(two);
  EXPECT_THAT(ask(shared, "elicitation/create", form),
              HasSubstr("more than one session has calls under way"));
  release_all();
  run_until([&] { return first->answer && second->answer; });
  EXPECT_THAT(ask(shared, "elicitation/create", form), HasSubstr("during one of its calls only"));
  EXPECT_THAT(one.host->asked, IsEmpty());
  EXPECT_THAT(two.host->asked, IsEmpty());
}

TEST_F(Sharing, a_host_is_not_asked_for_a_session_that_has_none) {
  const User one = open(asks);
  User shell = open(asks);
  call(one);
  call(shell);
  shell.host = nullptr;  // its calls are those of somebody who cannot be asked
  hold();
  const auto by_shell = begin(shell);
  const auto by_one = begin(one);
  EXPECT_THAT(ask(link(), "elicitation/create", form), HasSubstr("\"error\""));
  EXPECT_THAT(one.host->asked, IsEmpty());
  release_all();
  run_until([&] { return by_shell->answer && by_one->answer; });
}

TEST_F(Sharing, a_server_that_asks_is_for_one_session_from_then_on) {
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  ScriptedLink* const first = link();
  hold();
  const auto mine = begin(two);
  (void)ask(first, "elicitation/create", form);
  release_all();
  run_until([&] { return mine->answer.has_value(); });
  call(two);
  EXPECT_EQ(started(), 1) << "who was asked goes on";
  call(one);
  EXPECT_EQ(started(), 2);
  const User three = open(asks);
  call(three);
  EXPECT_EQ(started(), 3);
}

TEST_F(Sharing, that_it_has_asked_is_remembered) {
  {
    const User one = open(asks);
    hold();
    const auto mine = begin(one);
    (void)ask(link(), "elicitation/create", form);
    release_all();
    run_until([&] { return mine->answer.has_value(); });
  }
  stop();
  const int before = started();
  const User two = open(asks);
  const User three = open(asks);
  call(two);
  call(three);
  EXPECT_EQ(started(), before + 2);
}

TEST_F(Sharing, a_tool_that_keeps_a_state_parts_sessions_before_their_first_call) {
  servers["echo"].tools =
      R"([{"name":"echo","inputSchema":{"type":"object"}},{"name":"select_page"}])";
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  EXPECT_EQ(started(), 2);
  call(one);
  EXPECT_EQ(started(), 2) << "the first keeps what it has";
}

TEST_F(Sharing, sessions_of_one_scope_count_as_one) {
  servers["echo"].tools =
      R"([{"name":"echo","inputSchema":{"type":"object"}},{"name":"select_page"}])";
  options.sharing.scope = "shell " + dir;
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  EXPECT_EQ(started(), 1);
}

TEST_F(Sharing, a_session_that_can_do_less_uses_the_server_until_that_matters) {
  const User one = open(asks);
  const User less = open({.elicitation_form = true});
  call(one);
  call(less);
  EXPECT_EQ(started(), 1);
  hold();
  const auto mine = begin(less);
  EXPECT_THAT(ask(link(),
                  "elicitation/create",
                  R"({"mode":"url","url":"https://a.example/","elicitationId":"e","message":"m"})"),
              HasSubstr("\"error\""));
  EXPECT_THAT(less.host->asked, IsEmpty());
  EXPECT_THAT(one.host->asked, IsEmpty());
  release_all();
  run_until([&] { return mine->answer.has_value(); });
  call(one);
  EXPECT_EQ(started(), 1);
  call(less);
  EXPECT_EQ(started(), 2) << "with what it can do";
}

TEST_F(Sharing, a_session_that_can_do_more_has_its_own_server) {
  const User less = open({});
  const User more = open(asks);
  call(less);
  call(more);
  EXPECT_EQ(started(), 2);
}

TEST_F(Sharing, equal_roots_go_on_together_once_the_server_has_asked) {
  const User one = open(has_roots, R"([{"uri":"file:///a"},{"uri":"file:///b"}])");
  const User same = open(has_roots, R"([{"uri":"file:///b"},{"uri":"file:///a"}])");
  const User other = open(has_roots, R"([{"uri":"file:///c"}])");
  call(one);
  call(same);
  call(other);
  EXPECT_EQ(started(), 1) << "it has not asked";
  hold();
  const auto mine = begin(one);
  EXPECT_THAT(ask(link(), "roots/list", "{}"), HasSubstr("file:///a"));
  EXPECT_THAT(same.host->asked, IsEmpty());
  release_all();
  run_until([&] { return mine->answer.has_value(); });
  call(one);
  call(same);
  EXPECT_EQ(started(), 1);
  call(other);
  EXPECT_EQ(started(), 2);
  EXPECT_THAT(ask(link(), "roots/list", "{}"), HasSubstr("file:///c"));
}

TEST_F(Sharing, a_session_whose_roots_change_leaves_those_with_the_old_ones) {
  const User one = open(has_roots, R"([{"uri":"file:///a"}])");
  const User two = open(has_roots, R"([{"uri":"file:///a"}])");
  call(one);
  (void)ask(link(), "roots/list", "{}");
  call(two);
  EXPECT_EQ(started(), 1);
  ScriptedLink* const shared = link();
  two.host->roots = R"([{"uri":"file:///new"}])";
  two.session->tell_roots_changed();
  EXPECT_EQ(shared->count_sent("roots/list_changed"), 0U);
  call(two);
  EXPECT_EQ(started(), 2);
  two.session->tell_roots_changed();
  EXPECT_EQ(link()->count_sent("roots/list_changed"), 1U);
  one.session->tell_roots_changed();
  EXPECT_EQ(shared->count_sent("roots/list_changed"), 1U) << "nobody else is there any more";
}

TEST_F(Sharing, logs_reach_the_only_session_with_calls) {
  const User one = open();
  const User two = open();
  call(one);
  say(link(), "before the second came");
  call(two);
  say(link(), "whose is it?");
  hold();
  const auto first = begin(one);
  say(link(), "for one");
  const auto second = begin(two);
  say(link(), "for either");
  release_all();
  run_until([&] { return first->answer && second->answer; });
  EXPECT_THAT(one.listener->said, ElementsAre("before the second came", "for one"));
  EXPECT_THAT(two.listener->said, IsEmpty());
}

TEST_F(Sharing, the_end_of_a_page_is_told_to_whom_it_was_shown) {
  const User one = open(asks);
  const User two = open(asks);
  call(one);
  call(two);
  hold();
  const auto mine = begin(one);
  ask(link(),
      "elicitation/create",
      R"({"mode":"url","url":"http://localhost/x","elicitationId":"e1","message":"m"})");
  ASSERT_THAT(one.host->asked, SizeIs(1));
  for (const char* id : {"e1", "of nobody"}) {
    link()->deliver(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete",)"
                    R"("params":{"elicitationId":")" +
                    std::string(id) + "\"}}");
  }
  (void)ask(link(), "ping", "{}");
  release_all();
  run_until([&] { return mine->answer.has_value(); });
  EXPECT_THAT(one.listener->completed, ElementsAre("e1"));
  EXPECT_THAT(two.listener->completed, IsEmpty());
}

TEST_F(Sharing, the_most_verbose_level_that_a_session_wants_is_asked_for) {
  const User one = open();
  const User two = open();
  call(one);
  call(two);
  one.session->want_log_level(mcp::LogLevel::warning);
  two.session->want_log_level(mcp::LogLevel::debug);
  EXPECT_EQ(link()->count_sent(R"("level":"debug")"), 1U);
  wait(gateway().close(two.session));
  EXPECT_EQ(link()->count_sent(R"("level":"warning")"), 2U);
}

TEST_F(Sharing, a_claim_of_a_shell_keeps_its_server_for_the_next_command) {
  servers["echo"].tools =
      R"([{"name":"echo","inputSchema":{"type":"object"}},{"name":"select_page"}])";
  servers["echo"].configure = [](config::Server& server) {
    server.lifecycle = config::LifecycleMode::keep_alive;
    server.idle_timeout_minutes = 0.05;
  };
  options.sharing.scope = "shell " + dir;
  options.sharing.claims_rest = true;
  const User one = open();
  call(one);
  wait(gateway().close(one.session));
  const User two = open();
  call(two);
  EXPECT_EQ(started(), 1);
  wait(gateway().close(two.session));
  EXPECT_EQ(closes["echo"], 0);
  run_until([&] { return closes["echo"] == 1; });
}

TEST_F(Sharing, a_server_that_nobody_claims_ends_unless_it_is_to_linger) {
  const User one = open();
  call(one);
  wait(gateway().close(one.session));
  run_until([&] { return closes["echo"] == 1; });
  settings.shared_linger = std::chrono::hours(1);
  const User two = open();
  call(two);
  wait(gateway().close(two.session));
  const User three = open();
  call(three);
  EXPECT_EQ(started(), 2);
}

TEST_F(Sharing, alone_a_session_has_its_servers_as_always) {
  options.sharing = {};
  environment.variables["TERM"] = "xterm";
  const User one = open(has_roots);
  environment.variables["TERM"] = "dumb";
  const User two = open(has_roots);
  call(one);
  call(two);
  EXPECT_EQ(started(), 2);
}

}  // namespace
}  // namespace pi_mcp::gateway
