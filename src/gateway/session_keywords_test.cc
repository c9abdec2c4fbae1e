// mcp({ action: "keywords" }): words that a model writes, the host's or the one that calls us.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/loop/task_group.h"
#include "support/scripted_host.h"
#include "support/session_fixture.h"

namespace pi_mcp::gateway {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* asking = R"({"action":"keywords"})";
constexpr const char* yes = R"({"action":"accept","content":{"answer":"write"}})";
// What the host's model writes: the words for both tools.
constexpr const char* written =
    R"({"role":"assistant","model":"m","content":{"type":"text","text":)"
    R"("{\"echo/echo\":[\"parrot\"],\"echo/add\":[\"total\",\"plus\"]}"}})";

// Its features cannot be changed, so this is one without elicitation.
class SamplingHost final : public servers::HostLink {
 public:
  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override {
    asked.push_back(method + " " + std::string(params.view()));
    co_return rpc::Message::parse(R"({"jsonrpc":"2.0","id":1,)" + answer + "}");
  }
  std::string answer = R"("result":)" + std::string(written);
  std::vector<std::string> asked;

 private:
  mcp::ClientFeatures features_{.sampling = true};
};

class SessionKeywords : public test::SessionFixture {
 protected:
  SessionKeywords() {
    add("echo", test::echo_server());
    remember();
  }
  test::Said ask(std::shared_ptr<servers::HostLink> host) {
    tool::CallContext with;
    with.host = std::move(host);
    return mcp(asking, std::move(with));
  }
  // The same, while the test goes on.
  void begin(std::shared_ptr<servers::HostLink> host) {
    tool::CallContext with;
    with.host = std::move(host);
    tasks.spawn("asking", run(&session(), std::move(with), &answered), io::log_only);
  }
  // The tools that a search shows.
  std::string found(const std::string& words) { return text(R"({"search":")" + words + "\"}"); }

  std::optional<tool::Answer> answered;
  io::TaskGroup tasks{context.get_executor()};

 private:
  static io::Task<void> run(Session* session,
                            tool::CallContext with,
                            std::optional<tool::Answer>* answered) {
    tool::ToolRequest request;
    request.mode = tool::Mode::keywords;
    *answered = co_await session->run(std::move(request), std::move(with));
  }
};

TEST_F(SessionKeywords, a_model_is_given_the_tools_and_brings_the_words) {
  EXPECT_THAT(found("parrot"), Not(HasSubstr("echo_echo")));
  EXPECT_THAT(text(asking),
              AllOf(StartsWith("2 tools of echo have few words for search to find. Answer this "
                               "request, and give the object to: mcp({ action: \"keywords\", args: "
                               "{\"SERVER/TOOL\": [...]} })\n\n"),
                    HasSubstr(R"({"tool":"echo/add","description":"Adds two numbers",)"
                              R"("parameters":["a","b"]})")));
  const test::Said kept =
      mcp(R"({"action":"keywords","args":{"echo/echo":["parrot","say again"],"x/y":["z"]}})");
  EXPECT_FALSE(kept.is_error);
  EXPECT_EQ(kept.text,
            "Kept 2 words for 1 tool. Left out: 1 name that no tool with few words has (x/y).\n"
            "1 tool of echo has few words and no keywords yet; mcp({ action: \"keywords\" })");
  EXPECT_THAT(found("parrot"), HasSubstr("echo_echo"));
  EXPECT_THAT(text(asking), Not(HasSubstr("\"echo/echo\""))) << "it is not asked about again";
  EXPECT_THAT(starts, IsEmpty());
}

TEST_F(SessionKeywords, another_session_finds_by_them_at_once) {
  EXPECT_THAT(found("parrot"), Not(HasSubstr("echo_echo"))) << "it has an index already";
  const std::unique_ptr<gateway::Gateway> other =
      std::make_unique<gateway::Gateway>(context.get_executor(), pool_options, nullptr);
  gateway::Session& its = other->open(make_settings(), make_environment(), options);
  tool::ToolRequest request;
  request.mode = tool::Mode::keywords;
  request.args = SharedText(R"({"echo/echo":["parrot"]})");
  EXPECT_FALSE(wait(its.run(std::move(request), {})).is_error());
  wait(other->close());
  EXPECT_THAT(found("parrot"), HasSubstr("echo_echo"));
}

TEST_F(SessionKeywords, explain_says_whose_word_it_was) {
  (void)mcp(R"({"action":"keywords","args":{"echo/add":["total"]}})");
  tool::ToolRequest request;
  request.mode = tool::Mode::search;
  request.subject = "total";
  request.explain = true;
  EXPECT_THAT(session().text_of(wait(session().run(request, {})), tool::Reader::shell),
              HasSubstr("total (keyword by a model)"));
}

TEST_F(SessionKeywords, an_answer_without_words_is_an_error_that_says_what_one_looks_like) {
  const test::Said none = mcp(R"({"action":"keywords","args":{"echo_echo":["parrot"]}})");
  EXPECT_TRUE(none.is_error);
  EXPECT_THAT(none.text,
              AllOf(StartsWith("No words were kept. Left out: 1 name"),
                    HasSubstr(R"({"SERVER/TOOL": ["word", "other word"]})")));
}

TEST_F(SessionKeywords, what_cannot_be_kept_is_an_error) {
  std::ofstream(dir + "/mcp-keywords.json") << R"({"version":9})";
  const test::Said failed = mcp(R"({"action":"keywords","args":{"echo/echo":["parrot"]}})");
  EXPECT_TRUE(failed.is_error);
  EXPECT_THAT(failed.text, AllOf(HasSubstr("mcp-keywords.json"), HasSubstr("move it away")));
}

TEST_F(SessionKeywords, the_words_outlive_the_cache) {
  (void)mcp(R"({"action":"keywords","args":{"echo/echo":["parrot"]}})");
  stop();
  std::filesystem::remove(dir + "/mcp-cache.json");
  EXPECT_THAT(text(R"({"connect":"echo"})"), HasSubstr("echo_echo"));
  EXPECT_THAT(found("parrot"), HasSubstr("echo_echo"));
}

TEST_F(SessionKeywords, the_model_of_the_host_is_asked_when_the_user_agrees) {
  const auto host = std::make_shared<test::ScriptedHost>();
  begin(host);
  run_until([&] { return host->asked.size() == 1; });
  EXPECT_THAT(host->asked[0],
              AllOf(StartsWith("elicitation/create "),
                    HasSubstr("pi-mcp: may your model write search words for 2 tools of echo? It "
                              "is sent their names and descriptions, in 1 request.")));
  host->answer(yes);
  run_until([&] { return host->asked.size() == 2; });
  EXPECT_THAT(host->asked[1],
              AllOf(StartsWith("sampling/createMessage "),
                    HasSubstr(R"("maxTokens":4000)"),
                    HasSubstr(R"({\"tool\":\"echo/add\")")));
  host->answer(written);
  run_until([&] { return answered.has_value(); });
  EXPECT_EQ(said(*answered).text, "Kept 3 words for 2 tools.");
  EXPECT_THAT(found("parrot"), HasSubstr("echo_echo"));
  wait(tasks.join());
}

TEST_F(SessionKeywords, a_call_that_is_cancelled_asks_the_model_no_more) {
  settings.write_keywords = true;
  stop();
  const auto host = std::make_shared<test::ScriptedHost>();
  begin(host);
  run_until([&] { return host->asked.size() == 1; });
  tasks.cancel();
  wait(tasks.join());
  EXPECT_EQ(host->withdrawn, 1);
  EXPECT_FALSE(std::filesystem::exists(dir + "/mcp-keywords.json"));
}

TEST_F(SessionKeywords, nothing_is_sent_when_the_user_does_not_agree) {
  const auto host = std::make_shared<test::ScriptedHost>();
  host->result = R"({"action":"decline"})";
  const test::Said refused = ask(host);
  EXPECT_EQ(refused.failure, tool::Failure::cancelled);
  EXPECT_THAT(refused.text, HasSubstr("pi-mcp keywords --write FILE"));
  EXPECT_THAT(host->asked, SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(dir + "/mcp-keywords.json"));
}

TEST_F(SessionKeywords, a_host_that_cannot_ask_its_user_lends_its_model_only_by_the_setting) {
  const auto host = std::make_shared<SamplingHost>();
  EXPECT_THAT(ask(host).text, HasSubstr("Answer this request"));
  EXPECT_THAT(host->asked, IsEmpty());
  stop();
  settings.write_keywords = true;
  EXPECT_THAT(ask(host).text, StartsWith("Kept 3 words for 2 tools."));
  EXPECT_THAT(host->asked, ElementsAre(StartsWith("sampling/createMessage ")));
}

TEST_F(SessionKeywords, a_model_that_fails_or_has_no_words_is_asked_once) {
  settings.write_keywords = true;
  stop();
  const auto host = std::make_shared<SamplingHost>();
  host->answer = R"("error":{"code":-1,"message":"User rejected sampling request"})";
  const test::Said refused = ask(host);
  EXPECT_TRUE(refused.is_error);
  EXPECT_THAT(refused.text, HasSubstr("the host refused: User rejected sampling request"));
  host->answer = R"("result":{"content":[{"type":"text","text":"I would rather not."}]})";
  EXPECT_THAT(ask(host).text, HasSubstr("the model's answer had no words for the tools"));
  EXPECT_THAT(host->asked, SizeIs(2));
}

TEST_F(SessionKeywords, an_unknown_server_is_said) {
  EXPECT_THAT(mcp(R"({"action":"keywords","server":"nope"})").text, HasSubstr("nope"));
}

}  // namespace
}  // namespace pi_mcp::gateway
