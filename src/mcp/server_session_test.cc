#include "mcp/server_session.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

using Kind = ServerSession::Action::Kind;

rpc::Message message(std::string line) {
  Result<rpc::Message> parsed = rpc::Message::parse(std::move(line));
  EXPECT_TRUE(parsed) << parsed.error().message();
  return *std::move(parsed);
}

// A conversation: says() returns the reply's text, or the name of the action.
class Talk {
 public:
  explicit Talk(std::string instructions = "")
      : session({.version = "1.2",
                 .capabilities_json = R"({"tools":{}})",
                 .instructions = std::move(instructions)}) {}

  std::string says(std::string line) {
    ServerSession::Action action = session.on_message(message(std::move(line)));
    switch (action.kind) {
      case Kind::reply:
        return action.reply.flat();
      case Kind::serve:
        return "serve";
      case Kind::initialized:
        return "initialized";
      case Kind::cancel:
        return "cancel " + action.cancelled.json();
      case Kind::notice:
        return "notice";
      case Kind::answer:
        return "answer";
      case Kind::ignore:
        break;
    }
    return "ignore";
  }

  std::string initialize(const std::string& version, const std::string& capabilities = "{}") {
    return says(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
                version + R"(","capabilities":)" + capabilities +
                R"(,"clientInfo":{"name":"host","version":"9"}}})");
  }

  ServerSession session;
};

TEST(ServerSession, serves_nothing_but_ping_before_initialize) {
  Talk talk;
  EXPECT_EQ(talk.says(R"({"id":1,"method":"tools/list"})"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,)"
            R"("message":"not initialized: the first request must be initialize"}})");
  EXPECT_EQ(talk.says(R"({"id":"p","method":"ping"})"),
            R"({"jsonrpc":"2.0","id":"p","result":{}})");
  EXPECT_EQ(talk.says(R"({"method":"notifications/initialized"})"), "ignore");
  EXPECT_EQ(talk.says(R"({"method":"notifications/cancelled","params":{"requestId":1}})"),
            "ignore");
  EXPECT_EQ(talk.session.phase(), ServerSession::Phase::awaiting_initialize);
}

TEST(ServerSession, refuses_a_broken_or_second_initialize) {
  Talk talk;
  EXPECT_EQ(talk.says(R"({"id":1,"method":"initialize"})"),
            R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,)"
            R"("message":"initialize needs params.protocolVersion, a string"}})");
  talk.initialize("2025-06-18");
  EXPECT_EQ(talk.initialize("2025-06-18"),
            R"({"jsonrpc":"2.0","id":0,"error":{"code":-32600,)"
            R"("message":"this session is initialized already"}})");
}

TEST(ServerSession, answers_initialize_in_the_version_asked_for) {
  Talk talk("use search");
  EXPECT_EQ(talk.initialize("2025-06-18"),
            R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",)"
            R"("capabilities":{"tools":{}},)"
            R"("serverInfo":{"name":"pi-mcp","title":"pi-mcp","version":"1.2"},)"
            R"("instructions":"use search"}})");
  EXPECT_EQ(talk.session.host().name, "host");
  EXPECT_EQ(talk.session.host().version, "9");
}

TEST(ServerSession, old_hosts_see_no_newer_members) {
  EXPECT_EQ(Talk().initialize("2024-11-05"),
            R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05",)"
            R"("capabilities":{"tools":{}},"serverInfo":{"name":"pi-mcp","version":"1.2"}}})");
}

TEST(ServerSession, answers_an_unknown_version_with_the_newest) {
  for (const char* asked : {"2026-07-28", "1.0", ""}) {
    Talk talk;
    EXPECT_NE(talk.initialize(asked).find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
    EXPECT_EQ(talk.session.revision(), Revision::r2025_11_25);
  }
}

TEST(ServerSession, sends_a_host_without_handshake_to_one_that_has_it) {
  Talk talk;
  EXPECT_EQ(
      talk.says(R"({"id":1,"method":"server/discover","params":{"_meta":)"
                R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})"),
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32022,)"
      R"("message":"unsupported protocol version; begin with initialize","data":{"supported":)"
      R"(["2024-11-05","2025-03-26","2025-06-18","2025-11-25"],"requested":"2026-07-28"}}})");
}

TEST(ServerSession, serves_requests_from_initialize_on) {
  Talk talk;
  talk.initialize("2025-11-25");
  EXPECT_EQ(talk.says(R"({"id":1,"method":"tools/list"})"), "serve");
  EXPECT_EQ(talk.says(R"({"method":"notifications/initialized"})"), "initialized");
  EXPECT_EQ(talk.says(R"({"method":"notifications/initialized"})"), "ignore");
  EXPECT_EQ(talk.says(R"({"id":2,"method":"what/ever"})"), "serve");
  EXPECT_EQ(talk.says(R"({"method":"notifications/roots/list_changed"})"), "notice");
  EXPECT_EQ(talk.says(R"({"id":1,"result":{}})"), "answer");
  EXPECT_EQ(talk.says(R"({"id":1,"error":{}})"), "answer");
  EXPECT_EQ(talk.session.phase(), ServerSession::Phase::ready);
}

TEST(ServerSession, hands_on_cancellations_of_everything_but_initialize) {
  Talk talk;
  talk.initialize("2025-11-25");
  const auto cancel = [&talk](const std::string& params) {
    return talk.says(R"({"method":"notifications/cancelled","params":)" + params + "}");
  };
  EXPECT_EQ(cancel(R"({"requestId":"a","reason":"x"})"), R"(cancel "a")");
  EXPECT_EQ(cancel(R"({"requestId":12})"), "cancel 12");
  EXPECT_EQ(cancel(R"({"requestId":0})"), "ignore") << "the id of initialize";
  EXPECT_EQ(cancel(R"({"requestId":null})"), "ignore");
  EXPECT_EQ(cancel("{}"), "ignore");
}

TEST(ServerSession, reads_what_the_host_can_do) {
  Talk old;
  old.initialize("2025-06-18", R"({"elicitation":{},"sampling":{},"roots":{"listChanged":true}})");
  EXPECT_TRUE(old.session.host().features.elicitation_form);
  EXPECT_FALSE(old.session.host().features.elicitation_url);
  EXPECT_TRUE(old.session.host().features.sampling);
  EXPECT_FALSE(old.session.host().features.sampling_tools);
  EXPECT_TRUE(old.session.host().features.roots_list_changed);

  Talk both;
  both.initialize("2025-11-25", R"({"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}}})");
  EXPECT_TRUE(both.session.host().features.elicitation_form &&
              both.session.host().features.elicitation_url);
  EXPECT_TRUE(both.session.host().features.sampling_tools);
  EXPECT_FALSE(both.session.host().features.roots);

  Talk none;
  none.initialize("2025-11-25", R"({"elicitation":7})");
  EXPECT_FALSE(none.session.host().features.elicitation_form);
}

TEST(ServerSession, unknown_methods_have_an_answer) {
  EXPECT_EQ(
      unknown_method(message(R"({"id":"x","method":"a/b"})")).flat(),
      R"({"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"method not found: a/b"}})");
}

TEST(Progress, tokens_are_strings_or_numbers_and_are_exchanged_between_hops) {
  const rpc::Message call =
      message(R"({"id":1,"method":"x","params":{"_meta":{"progressToken":"t"}}})");
  EXPECT_EQ(progress_token(call.params()), R"("t")");
  EXPECT_EQ(progress_token(message(R"({"method":"x","params":{}})").params()), "");
  EXPECT_EQ(progress_token(
                message(R"({"method":"x","params":{"_meta":{"progressToken":null}}})").params()),
            "");
  const rpc::Message progress = message(
      R"({"method":"notifications/progress","params":{"progress":0.50,"progressToken":7,"total":1}})");
  EXPECT_EQ(progress_notification(R"("t")", progress.params()).flat(),
            R"({"jsonrpc":"2.0","method":"notifications/progress",)"
            R"("params":{"progressToken":"t","progress":0.50,"total":1}})");
}

}  // namespace
}  // namespace pi_mcp::mcp
