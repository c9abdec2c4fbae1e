#include "cli/recording/replayer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view first_line = R"({"pi-mcp":"recording","version":1})";

// Lines such as `> {...}` of the host and `< {...}` of the server, as a file.
std::string file_of(const std::vector<std::string>& lines) {
  std::string out = std::string(first_line) + "\n";
  for (const std::string& line : lines) {
    out += std::string(R"({"from":")") + (line[0] == '>' ? "host" : "server") +
           R"(","ms":0,"message":)" + line.substr(2) + "}\n";
  }
  return out + R"({"messages":)" + std::to_string(lines.size()) + "}\n";
}

Replayer replayer_of(const std::vector<std::string>& lines) {
  Result<std::vector<RecordedMessage>> messages = parse_recording("f", file_of(lines));
  EXPECT_TRUE(messages);
  return Replayer(*std::move(messages));
}

std::vector<std::string> ask(Replayer& replayer, const std::string& message) {
  const Result<rpc::Message> parsed = rpc::Message::parse(message);
  return replayer.on_message(*parsed);
}

std::string call(std::string_view id, std::string_view args, std::string_view meta = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":"echo","arguments":)" + std::string(args) +
         std::string(meta) + "}}";
}

const std::vector<std::string> session = {
    R"(> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"version":"1"}}})",
    R"(< {"jsonrpc":"2.0","id":0,"result":{"serverInfo":{"name":"s"}}})",
    R"(> {"jsonrpc":"2.0","method":"notifications/initialized"})",
    "> " + call("1", R"({"a":1,"b":2})", R"(,"_meta":{"progressToken":7})"),
    R"(< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}})",
    R"(< {"jsonrpc":"2.0","id":1,"result":{"content":[]}})",
    R"(< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"})",
    R"(> {"jsonrpc":"2.0","id":2,"method":"tools/list"})",
    R"(< {"jsonrpc":"2.0","id":2,"result":{"tools":[]}})",
};

TEST(Replayer, AnswersAnotherHostWithItsOwnIdsAndTokens) {
  Replayer replayer = replayer_of(session);
  EXPECT_THAT(
      ask(replayer,
          R"({"jsonrpc":"2.0","id":"x","method":"initialize","params":{"clientInfo":{"version":"2"}}})"),
      ElementsAre(R"({"jsonrpc":"2.0","result":{"serverInfo":{"name":"s"}},"id":"x"})"));
  EXPECT_THAT(
      ask(replayer, call("5", R"({"b":2.0,"a":1})", R"(,"_meta":{"progressToken":"p"})")),
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"p"}})",
          R"({"jsonrpc":"2.0","result":{"content":[]},"id":5})",
          R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"));
  EXPECT_THAT(ask(replayer, R"({"jsonrpc":"2.0","id":6,"method":"ping"})"),
              ElementsAre(R"({"jsonrpc":"2.0","id":6,"result":{}})"));
  EXPECT_THAT(replayer.take_mismatches(), IsEmpty());
  EXPECT_THAT(replayer.unused(), ElementsAre("line 9: tools/list {}"));
}

TEST(Replayer, AListMayBeAskedForAgainAndACallMayNot) {
  Replayer replayer = replayer_of(session);
  const std::string list = R"({"jsonrpc":"2.0","id":3,"method":"tools/list"})";
  const std::string listed = R"({"jsonrpc":"2.0","result":{"tools":[]},"id":3})";
  EXPECT_THAT(ask(replayer, list), ElementsAre(listed));
  EXPECT_THAT(ask(replayer, list), ElementsAre(listed));
  EXPECT_EQ(ask(replayer, call("4", R"({"a":1,"b":2})")).size(), 2U) << "no token, no progress";
  EXPECT_THAT(ask(replayer, call("5", R"({"a":1,"b":2})")),
              ElementsAre(HasSubstr("was recorded 1 time, and this is one more")));
  EXPECT_EQ(replayer.take_mismatches().size(), 1U);
}

TEST(Replayer, WhatWasNotRecordedIsRefusedWithTheNearest) {
  Replayer replayer = replayer_of(session);
  EXPECT_THAT(ask(replayer, call("5", R"({"a":1,"b":3})")),
              ElementsAre(testing::AllOf(HasSubstr("-32602"), HasSubstr("\"error\""))));
  EXPECT_THAT(
      replayer.take_mismatches(),
      ElementsAre(
          R"(tools/call {"arguments":{"a":1,"b":3},"name":"echo"} is not in the recording; )"
          R"(the nearest is line 5: tools/call {"arguments":{"a":1,"b":2},"name":"echo"})"));
  EXPECT_THAT(ask(replayer, R"({"jsonrpc":"2.0","id":7,"method":"resources/list"})"),
              ElementsAre(HasSubstr("-32601")));
}

TEST(Replayer, WhatWasMaskedMatchesTheSecretItself) {
  Replayer replayer = replayer_of({
      "> " + call("1", R"({"text":"say *** now","token":"***"})"),
      R"(< {"jsonrpc":"2.0","id":1,"result":{}})",
  });
  EXPECT_THAT(ask(replayer, call("2", R"({"text":"say correct horse now","token":"hunter22"})")),
              ElementsAre(R"({"jsonrpc":"2.0","result":{},"id":2})"));
  EXPECT_THAT(ask(replayer, call("3", R"({"text":"say *** later","token":"***"})")),
              ElementsAre(HasSubstr("error")));
}

TEST(Replayer, AQuestionOfTheServerWaitsForTheHost) {
  const std::vector<std::string> lines = {
      "> " + call("1", "{}"),
      R"(< {"jsonrpc":"2.0","id":9,"method":"roots/list"})",
      R"(> {"jsonrpc":"2.0","id":9,"result":{"roots":[]}})",
      R"(< {"jsonrpc":"2.0","id":1,"result":{"content":[]}})",
  };
  Replayer same = replayer_of(lines);
  EXPECT_THAT(ask(same, call("5", "{}")),
              ElementsAre(R"({"jsonrpc":"2.0","method":"roots/list","id":"replay-1"})"));
  EXPECT_THAT(ask(same, R"({"jsonrpc":"2.0","id":"replay-1","result":{"roots":[]}})"),
              ElementsAre(R"({"jsonrpc":"2.0","result":{"content":[]},"id":5})"));
  EXPECT_THAT(same.take_mismatches(), IsEmpty());
  Replayer other = replayer_of(lines);
  (void)ask(other, call("5", "{}"));
  EXPECT_EQ(ask(other, R"({"jsonrpc":"2.0","id":"replay-1","result":{"roots":[1]}})").size(), 1U);
  EXPECT_THAT(other.take_mismatches(), ElementsAre(HasSubstr("recorded is line 4: roots/list")));
}

TEST(Replayer, ACancelledCallStaysUnansweredAndOneCutOffIsRefused) {
  Replayer replayer = replayer_of({
      "> " + call("1", R"({"n":1})"),
      R"(> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})",
      "> " + call("2", R"({"n":2})"),
  });
  EXPECT_THAT(ask(replayer, call("1", R"({"n":1})")), IsEmpty());
  EXPECT_THAT(replayer.take_mismatches(), IsEmpty());
  EXPECT_THAT(ask(replayer, call("2", R"({"n":2})")),
              ElementsAre(HasSubstr("has no answer in the recording (line 4)")));
}

TEST(Recording, AFileThatIsBrokenIsNamedWithItsLine) {
  const std::string whole = file_of(session);
  const auto error = [](const std::string& text) {
    const Result<std::vector<RecordedMessage>> messages = parse_recording("f.jsonl", text);
    return messages ? "" : messages.error().message();
  };
  EXPECT_EQ(error(whole), "");
  EXPECT_THAT(error(""), HasSubstr("f.jsonl: line 1: the file is empty"));
  EXPECT_THAT(error("{\"jsonrpc\":\"2.0\"}\n"), HasSubstr("line 1: this is not a recording"));
  EXPECT_THAT(error(R"({"pi-mcp":"recording","version":2})"), HasSubstr("another version"));
  EXPECT_THAT(error(whole.substr(0, whole.rfind("{\"messages\""))),
              HasSubstr("line 11: the recording is cut short"));
  EXPECT_THAT(error(whole.substr(0, whole.size() - 30)),
              HasSubstr("line 10: cut short in the middle"));
  EXPECT_THAT(error(std::string(first_line) + "\nnonsense\n"), HasSubstr("line 2: not a JSON"));
  EXPECT_THAT(error(std::string(first_line) + "\n{\"from\":\"me\",\"message\":{}}\n"),
              HasSubstr("line 2: neither"));
  EXPECT_THAT(error(std::string(first_line) + "\n{\"messages\":3}\n"),
              HasSubstr("line 2: the recording had 3 messages, and 0 are here"));
  EXPECT_THAT(error(whole + "{}\n"), HasSubstr("line 12: there is more"));
}

}  // namespace
}  // namespace pi_mcp::cli
