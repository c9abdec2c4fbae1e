// How long answers to search, list and describe get, and errors: what does not fit is one request
// away.
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "support/session_fixture.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class AnswerBudget : public test::SessionFixture {
 protected:
  void limit_tokens(std::size_t tokens) { settings.output_guard.search_tokens_max = tokens; }
};

std::string tool(const std::string& name, const std::string& description) {
  return R"({"name":")" + name + R"(","description":")" + description +
         R"(","inputSchema":{"type":"object"}})";
}

// `count` tools named `start` and a number.
std::string tools(const std::string& start, int count, const std::string& description) {
  std::string list;
  for (int i = 0; i < count; ++i) {
    list += (list.empty() ? "" : ",") + tool(start + std::to_string(i), description);
  }
  return list;
}

test::FakeServer server_with(const std::string& tools) {
  test::FakeServer server;
  server.tools = "[" + tools + "]";
  return server;
}

TEST(EstimatedTokens, count_four_ascii_characters_or_one_other) {
  EXPECT_EQ(estimated_tokens(""), 0U);
  EXPECT_EQ(estimated_tokens("abcde"), 2U);
  EXPECT_EQ(estimated_tokens("\u65e5\u672c\u8a9e"), 3U);
}

TEST(WholeSentences, end_a_text_where_something_ends) {
  EXPECT_EQ(whole_sentences("short", 10), "short");
  EXPECT_EQ(whole_sentences("One two. Three four.", 14), "One two.");
  EXPECT_EQ(whole_sentences("first line\nsecond line", 18), "first line\n");
  EXPECT_EQ(whole_sentences("\u65e5\u672c\u8a9e", 4), "\u65e5");
}

TEST(SentencesEnd, is_known_in_other_scripts_and_for_other_marks) {
  EXPECT_EQ(sentences_end("One! Two? v1.2 x", 16), 9U);
  EXPECT_EQ(sentences_end("\u65e5\u672c\u3002\u8a9e\uff01\u8a9e", 18), 15U);
  EXPECT_EQ(sentences_end("\u65e5\u672c\u3002\u8a9e\uff01\u8a9e", 14), 9U);
  EXPECT_EQ(sentences_end("none at all", 11), 0U);
  EXPECT_EQ(first_sentence_end("v1.2 is new? Two. Three"), 12U);
  EXPECT_EQ(first_sentence_end("\u65e5\u672c\u3002\u8a9e\uff01"), 9U);
  EXPECT_EQ(first_sentence_end("none at all."), 0U);
}

TEST_F(AnswerBudget, a_search_page_ends_with_the_configured_tokens) {
  limit_tokens(60);
  add("s", server_with(tools("file_", 9, "Reads a file from the disk of this machine")));
  remember();
  const test::Said found = mcp(R"({"search":"file"})");
  EXPECT_LT(estimated_tokens(found.text), 90U);
  EXPECT_EQ(detail(found, "nextOffset"), "2");
  EXPECT_THAT(found.text, EndsWith("2 of 9 \u2014 offset: 2 for more"));
  limit_tokens(1);
  stop();
  EXPECT_EQ(detail(mcp(R"({"search":"file"})"), "nextOffset"), "1");
  settings.output_guard.enabled = false;
  stop();
  EXPECT_EQ(detail(mcp(R"({"search":"file"})"), "hasMore"), "false");
}

TEST_F(AnswerBudget, what_somebody_typed_is_repeated_in_one_short_line) {
  EXPECT_EQ(quoted("a\nb\x1b[31m\xff"), "\"a b\ufffd\"");
  add("s", server_with(tool("file", "Reads a file")));
  remember();
  const std::string typed = "file " + std::string(50'000, 'x');
  const std::string server = R"(","server":")" + typed + "\"}";
  for (const std::string& request : {R"({"search":")" + typed + "\"}",
                                     R"({"search":")" + typed + R"(","regex":true})",
                                     R"({"search":"a)" + server,
                                     R"({"describe":")" + typed + "\"}",
                                     R"({"describe":"a)" + server,
                                     R"({"tool":")" + typed + "\"}",
                                     R"({"tool":"a)" + server,
                                     R"({"connect":")" + typed + "\"}",
                                     R"({"instructions":")" + typed + "\"}",
                                     R"({"action":"auth-start)" + server,
                                     R"({"action":"reconnect)" + server,
                                     R"({"server":")" + typed + "\"}"}) {
    const test::Said answer = mcp(request);
    EXPECT_LT(answer.text.size(), 600U) << answer.text;
    EXPECT_LT(answer.details.size(), 1'200U) << answer.details;
  }
}

TEST_F(AnswerBudget, the_heading_of_a_search_counts) {
  limit_tokens(55);
  add("s", server_with(tools("file_", 9, "Reads a file from the disk of this machine")));
  remember();
  EXPECT_EQ(detail(mcp(R"({"search":"file"})"), "nextOffset"), "2");
  EXPECT_EQ(detail(mcp(R"({"search":"reads a file from the disk, from the disk of this machine"})"),
                   "nextOffset"),
            "1");
}

TEST_F(AnswerBudget, a_search_that_keeps_only_the_best_does_not_call_them_all) {
  add("s", server_with(tools("read_file_", 513, "Reads a file")));
  remember();
  EXPECT_THAT(text(R"({"search":"read file"})"), StartsWith("Found more than 512 tools matching"));
}

TEST_F(AnswerBudget, less_likely_tools_are_found_by_name_only_at_first) {
  add("s",
      server_with(tools("read_file_", 6, "Reads a file") + "," +
                  tools("other_", 3, "Needs the file")));
  remember();
  const test::Said found = mcp(R"({"search":"read file"})");
  EXPECT_THAT(found.text, HasSubstr("\n\ns_read_file_5\n  Reads a file"));
  EXPECT_THAT(found.text,
              EndsWith("\n\nLess likely, describe shows them: s_{other_0, other_1, other_2}"));
  EXPECT_THAT(found.text, StartsWith("Found 9 tools"));
  EXPECT_EQ(detail(found, "hasMore"), "false");
  EXPECT_THAT(text(R"({"search":"read file","limit":9})"),
              HasSubstr("\n\ns_other_2\n  Needs the file"));
  EXPECT_THAT(text(R"({"search":"read file","offset":6})"),
              HasSubstr("\n\ns_other_0\n  Needs the file"));
}

TEST_F(AnswerBudget, all_tools_are_shown_in_full_when_none_matches_well) {
  add("s",
      server_with(tools("read_file_", 2, "d") + "," + tools("zebra_", 2, "d") + "," +
                  tools("unicorn_", 2, "d") + "," + tools("planet_", 2, "d")));
  remember();
  const test::Said answer = mcp(R"({"search":"file zebra unicorn planet"})");
  EXPECT_EQ(detail(answer, "confidence"), "\"low\"");
  const std::string& found = answer.text;
  EXPECT_THAT(found, StartsWith("No tool matches all of"));
  EXPECT_THAT(found, Not(HasSubstr("Less likely")));
}

TEST_F(AnswerBudget, a_list_page_ends_with_the_configured_tokens) {
  limit_tokens(40);
  add("s", server_with(tools("file_", 9, "Reads a file from the disk")));
  EXPECT_THAT(text(R"({"connect":"s"})"), EndsWith("\n\n4 of 9 \u2014 offset: 4 for more"));
  EXPECT_THAT(text(R"({"server":"s","offset":4})"), HasSubstr("- s_file_7"));
}

TEST_F(AnswerBudget, a_page_behind_the_end_says_so_and_what_offset_to_use) {
  add("s", server_with(tools("file_", 9, "Reads a file from the disk")));
  remember();
  for (const std::string request : {R"({"server":"s","offset":9})",
                                    R"({"server":"s","offset":100})",
                                    R"({"search":"file","offset":100})",
                                    R"({"search":"","server":"s","offset":100})"}) {
    const test::Said said = mcp(request);
    EXPECT_THAT(said.text, HasSubstr("past the end: there are 9 ")) << request;
    EXPECT_THAT(said.text, HasSubstr("offset: 0 for the first.")) << request;
    EXPECT_THAT(said.text, Not(HasSubstr(":\n"))) << request;
    EXPECT_EQ(detail(said, "count"), "9") << request;
  }
}

TEST_F(AnswerBudget, a_server_with_hundreds_of_tools_shows_their_names_in_groups) {
  add("big",
      server_with(tools("create_a", 60, "d") + "," + tools("delete_b", 60, "d") + "," +
                  tool("ping", "d")));
  const test::Said list = mcp(R"({"connect":"big"})");
  EXPECT_THAT(list.text,
              StartsWith("big (121 tools):\n\nAll names begin with \"big_\", which is left out "
                         "here.\n\ncreate: create_a0, create_a1, "));
  EXPECT_THAT(list.text, HasSubstr(", create_a59\ndelete: delete_b0, "));
  EXPECT_THAT(list.text,
              EndsWith(", delete_b59\nping\n\nmcp({ search: \"...\", server: \"big\" }) shows "
                       "what they do."));
  EXPECT_THAT(detail(list, "tools"), EndsWith(R"(,"big_delete_b59","big_ping"])"));
  // Who says how many wants to see what they do.
  EXPECT_THAT(text(R"({"server":"big","limit":2})"), HasSubstr("- big_create_a0 - d\n"));
}

TEST_F(AnswerBudget, groups_of_names_come_in_pages) {
  limit_tokens(300);
  add("big", server_with(tools("create_a", 60, "d") + "," + tools("delete_b", 60, "d")));
  const std::string first = text(R"({"connect":"big"})");
  EXPECT_THAT(first, HasSubstr(" of 120 \u2014 offset: "));
  EXPECT_THAT(first, Not(HasSubstr("delete_b59")));
  EXPECT_LT(estimated_tokens(first), 400U);
  const std::string last = text(R"({"server":"big","offset":118})");
  EXPECT_THAT(last, HasSubstr("\n\ndelete: delete_b58, delete_b59\n"));
}

TEST_F(AnswerBudget, pages_of_names_and_of_lines_number_tools_alike) {
  limit_tokens(300);
  std::string mixed;  // groups in another order than the tools
  for (int i = 0; i < 75; ++i) {
    mixed += (i == 0 ? "" : ",") + tool("create_a" + std::to_string(i), "d") + "," +
             tool("delete_b" + std::to_string(i), "d");
  }
  add("big", server_with(mixed));
  remember();
  std::set<std::string> seen;
  std::size_t shown = 0;
  std::string offset = "0";
  for (int page = 0; offset != "null"; ++page) {
    const std::string limit = page % 2 == 0 ? "" : R"(,"limit":7)";
    const test::Said list = mcp(R"({"server":"big","offset":)" + offset + limit + "}");
    const std::string tools_json = detail(list, "tools");
    const Result<json::Document> names = json::Document::parse_view(tools_json);
    for (const json::Value name : names->root().elements()) {
      seen.insert(name.string_or(""));
      ++shown;
    }
    offset = detail(list, "nextOffset");
    EXPECT_EQ(detail(list, "hasMore"), offset == "null" ? "false" : "true");
  }
  EXPECT_EQ(shown, 150U);
  EXPECT_EQ(seen.size(), 150U);
}

TEST_F(AnswerBudget, names_without_a_common_prefix_are_shown_whole) {
  settings.tool_prefix = config::ToolPrefix::none;
  add("big", server_with(tools("create_a", 120, "d")));
  const std::string list = text(R"({"connect":"big"})");
  EXPECT_THAT(list, Not(HasSubstr("left out")));
  EXPECT_THAT(list, HasSubstr("create_a0, create_a1, "));
}

TEST_F(AnswerBudget, a_long_description_is_described_in_pages_with_whole_parameters) {
  limit_tokens(200);
  std::string description;
  for (int i = 0; i < 100; ++i) {
    description += "Sentence number " + std::to_string(i) + ". ";
  }
  add("s",
      server_with(R"({"name":"t","description":")" + description +
                  R"(","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}})"));
  remember();
  const std::string first = text(R"({"describe":"s_t"})");
  EXPECT_LT(estimated_tokens(first), 260U);
  EXPECT_THAT(first, HasSubstr(" bytes \u2014 mcp({ describe: \"s_t\", offset: "));
  EXPECT_THAT(first, EndsWith("for more\n\nParameters:\n  a (string)"));
  const std::string last = text(R"({"describe":"s_t","offset":1900})");
  EXPECT_THAT(last, StartsWith("s_t\nServer: s\n\n"));
  EXPECT_THAT(last, EndsWith("Sentence number 99."));
}

TEST_F(AnswerBudget, what_a_server_says_of_a_failure_is_shortened) {
  add("flaky", {}).refuses = std::string(100'000, 'x');
  EXPECT_LT(text(R"({"tool":"flaky_x"})").size(), 2'200U);
  EXPECT_LT(text(R"({"tool":"flaky_x"})").size(), 2'200U);  // now it waits before the next try
  test::FakeServer failing = test::echo_server();
  failing.on_call = [](test::ScriptedLink&, const rpc::Message&) {
    return R"("error":{"code":-32602,"message":")" + std::string(100'000, 'y') + "\"}";
  };
  add("failing", std::move(failing));
  stop();
  const std::string failed = text(R"({"tool":"failing_echo","args":{"text":"a"}})");
  EXPECT_LT(failed.size(), 2'400U);
  EXPECT_THAT(
      failed,
      HasSubstr("yyy... (code -32602)\n\nExpected parameters:\n  text (string) *required*"));
}

TEST_F(AnswerBudget, expected_parameters_are_shortened) {
  std::string properties;
  for (int i = 0; i < 500; ++i) {
    properties += (properties.empty() ? "\"p" : ",\"p") + std::to_string(i) +
                  R"(":{"type":"string","description":"what this parameter does"})";
  }
  add("s",
      server_with(R"({"name":"huge","inputSchema":{"type":"object","required":["p0"],)"
                  R"("properties":{)" +
                  properties + "}}}"));
  const std::string refused = text(R"({"tool":"s_huge","args":{}})");
  EXPECT_LT(refused.size(), 4'500U);
  EXPECT_THAT(refused, EndsWith("\n  ... (describe shows all)"));
}

TEST_F(AnswerBudget, parameters_without_end_are_described_in_pages) {
  limit_tokens(300);
  std::string properties;
  for (int i = 0; i < 200; ++i) {
    properties += (properties.empty() ? "\"p" : ",\"p") + std::to_string(i) +
                  R"(":{"type":"string","description":"what this parameter does, in words"})";
  }
  add("s",
      server_with(R"({"name":"huge","description":"Short.","inputSchema":{"type":"object",)"
                  R"("properties":{)" +
                  properties + "}}}"));
  remember();
  const std::string first = text(R"({"describe":"s_huge"})");
  EXPECT_LT(estimated_tokens(first), 360U);
  EXPECT_THAT(first, HasSubstr("Short."));
  std::set<std::string> seen;
  std::string offset = "0";
  for (int page = 0; page < 100 && !offset.empty(); ++page) {
    const std::string shown = text(R"({"describe":"s_huge","offset":)" + offset + "}");
    EXPECT_LT(estimated_tokens(shown), 360U);
    for (const std::string_view word : text::words(shown)) {
      if (word.starts_with("p")) {
        seen.insert(std::string(word));
      }
    }
    const std::size_t more = shown.find("offset: ");
    offset = more == std::string::npos
                 ? ""
                 : shown.substr(more + 8, shown.find(' ', more + 8) - more - 8);
  }
  EXPECT_EQ(offset, "");
  for (int i = 0; i < 200; ++i) {
    const std::string name = "p" + std::to_string(i);
    EXPECT_TRUE(seen.contains(name) || seen.contains(name + "?:")) << name;
  }
}

TEST_F(AnswerBudget, instructions_are_shown_in_pages) {
  limit_tokens(100);
  std::string instructions;
  for (int i = 0; i < 100; ++i) {
    instructions += "Sentence number " + std::to_string(i) + ". ";
  }
  test::FakeServer server = server_with(tool("t", "d"));
  server.instructions = instructions;
  add("s", std::move(server));
  remember();
  const std::string first = text(R"({"instructions":"s"})");
  EXPECT_LT(estimated_tokens(first), 140U);
  EXPECT_THAT(first, HasSubstr(" bytes \u2014 mcp({ instructions: \"s\", offset: "));
  EXPECT_THAT(text(R"({"instructions":"s","offset":1900})"), EndsWith("Sentence number 99. "));
}

TEST_F(AnswerBudget, a_name_without_end_is_left_out_and_noted) {
  add("s", server_with(tool("t", "d") + "," + tool(std::string(2'000'000, 'n'), "d")));
  const std::string list = text(R"({"connect":"s"})");
  EXPECT_LT(list.size(), 500U);
  EXPECT_THAT(list, HasSubstr("s (1 tool)"));
  EXPECT_THAT(list,
              HasSubstr("\n! 1 of tools/list left out: the name is longer than 1.0KB (\"nnn"));
  EXPECT_THAT(text("{}"), HasSubstr("\n  ! 1 of tools/list left out"));
}

TEST_F(AnswerBudget, marks_that_nobody_sees_are_in_no_name_and_no_answer) {
  add("s", server_with(tool("a\u202eb\u2066", "say\u202e \U000E0068hi")));
  const std::string list = text(R"({"connect":"s"})");
  EXPECT_THAT(list, HasSubstr("- s_a_b_ - say hi"));
  for (const std::string_view mark : {"\u202e", "\u2066", "\U000E0068"}) {
    EXPECT_THAT(list, Not(HasSubstr(std::string(mark))));
  }
  EXPECT_THAT(text(R"({"describe":"s_a_b_"})"), StartsWith("s_a_b_\nServer: s\n\nsay hi"));
}

}  // namespace
}  // namespace pi_mcp::tool
