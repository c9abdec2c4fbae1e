#include "cli/words/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Words = std::vector<std::string>;

CommandLine parsed(const Words& arguments) {
  Result<CommandLine> line = CommandLine::parse(arguments);
  EXPECT_TRUE(line) << line.error().message();
  return line ? *std::move(line) : CommandLine();
}

std::string complaint(const Words& arguments) {
  const Result<CommandLine> line = CommandLine::parse(arguments);
  if (line) {
    return "no complaint";
  }
  EXPECT_EQ(line.error().code(), ErrorCode::invalid_argument);
  return line.error().message();
}

TEST(CommandLine, an_unknown_command_names_the_nearest_one) {
  const auto unknown = [](const std::string& word) {
    EXPECT_TRUE(parsed({word}).is_call_implied()) << "only a session can know that it is no tool";
    return unknown_command(word).message();
  };
  EXPECT_EQ(unknown("lst"), R"(unknown command "lst"; did you mean "list"? See pi-mcp --help)");
  EXPECT_THAT(unknown("stauts"), HasSubstr(R"(did you mean "status"?)"));
  EXPECT_THAT(unknown("delete"), HasSubstr(R"(did you mean "remove"?)"));
  EXPECT_THAT(unknown("CALL"), HasSubstr(R"(did you mean "call"?)"));
  EXPECT_EQ(unknown("frobnicate"), R"(unknown command "frobnicate". See pi-mcp --help)");
  EXPECT_EQ(unknown("\x1b[31mred"), R"(unknown command "red". See pi-mcp --help)");
  EXPECT_EQ(unknown(""), R"(unknown command "". See pi-mcp --help)");
  EXPECT_THAT(complaint({"lst", "--help"}), HasSubstr(R"(unknown command "lst")"));
}

TEST(CommandLine, an_alias_is_its_command) {
  EXPECT_EQ(parsed({"ls"}).command()->id, CommandId::list);
  EXPECT_EQ(parsed({"tools", "x"}).command()->id, CommandId::list);
  EXPECT_EQ(parsed({"rm", "x"}).command()->id, CommandId::remove);
  EXPECT_EQ(parsed({"login", "x"}).command()->id, CommandId::auth);
}

TEST(CommandLine, a_call_has_the_options_of_its_tool_among_its_words) {
  EXPECT_THAT(parsed({"call", "read", "--directory=x", "--json", "--a", "1"}).words(),
              ElementsAre("read", "--directory=x", "--a", "1"));
  const CommandLine implied = parsed({"files.read", "--a", "1", "--json", "--", "--json"});
  EXPECT_TRUE(implied.is_call_implied());
  EXPECT_TRUE(implied.has(OptionId::json));
  EXPECT_THAT(implied.words(), ElementsAre("files.read", "--a", "1", "--json"));
}

TEST(CommandLine, an_unknown_option_names_the_nearest_one_or_the_way_to_say_it) {
  EXPECT_EQ(complaint({"search", "x", "--limt", "3"}),
            "unknown option --limt; did you mean --limit? See pi-mcp search --help");
  EXPECT_EQ(complaint({"--jsn", "status"}),
            "unknown option --jsn; did you mean --json? See pi-mcp --help");
  EXPECT_THAT(complaint({"add", "x", "npx", "-y", "pkg"}), HasSubstr("the command of a server"));
  EXPECT_EQ(complaint({"status", "-x"}), "unknown option -x. See pi-mcp status --help");
}

TEST(CommandLine, missing_and_extra_words_and_values_are_refused) {
  EXPECT_EQ(complaint({"describe"}),
            "describe needs more: pi-mcp describe TOOL | SERVER TOOL. See pi-mcp describe --help");
  EXPECT_EQ(complaint({"logs", "a", "b"}),
            R"(logs takes only SERVER, but got "b". See pi-mcp logs --help)");
  EXPECT_EQ(complaint({"status", "x"}),
            R"(status takes no argument, but got "x". See pi-mcp status --help)");
  EXPECT_EQ(complaint({"search", "a", "--limit"}),
            "--limit needs a value: --limit N. See pi-mcp search --help");
  EXPECT_EQ(complaint({"--config"}), "--config needs a value: --config FILE. See pi-mcp --help");
  EXPECT_EQ(complaint({"status", "--json=maybe"}),
            "--json takes no value. See pi-mcp status --help");
}

std::string limit(const std::string& text) {
  const auto count = count_option(parsed({"search", "x", "--limit", text}), OptionId::limit, 1);
  return count ? std::to_string(count->value_or(0)) : count.error().message();
}

std::string timeout(const std::string& text) {
  const auto time = timeout_option(parsed({"status", "--timeout", text}));
  return time ? std::to_string(time->value_or(Milliseconds(0)).count()) : time.error().message();
}

TEST(CommandLine, counts_are_checked) {
  EXPECT_EQ(limit("7"), "7");
  const std::string reason = "--limit wants a whole number of at least 1, not ";
  EXPECT_EQ(limit("0"), reason + "\"0\". See pi-mcp search --help");
  for (const char* bad : {"-1", "7x", "", "1.5", "99999999999999999999"}) {
    EXPECT_THAT(limit(bad), HasSubstr(reason)) << bad;
  }
  EXPECT_EQ(*count_option(parsed({"search", "x"}), OptionId::limit, 1), std::nullopt);
}

TEST(CommandLine, seconds_are_checked) {
  EXPECT_EQ(timeout("1.5"), "1500");
  EXPECT_EQ(timeout("0.0001"), "1");
  for (const char* bad : {"0", "-1", "soon", "nan", "inf", "86401", "1e9"}) {
    EXPECT_THAT(timeout(bad), HasSubstr("--timeout wants seconds")) << bad;
  }
}

TEST(CommandLine, options_may_stand_anywhere_before_the_dashes) {
  const CommandLine line =
      parsed({"-q", "--config", "c.json", "call", "read", "--server=fs", "path=a", "--json"});
  ASSERT_NE(line.command(), nullptr);
  EXPECT_EQ(line.command()->id, CommandId::call);
  EXPECT_TRUE(line.has(OptionId::quiet));
  EXPECT_TRUE(line.has(OptionId::json));
  EXPECT_EQ(line.value(OptionId::config), "c.json");
  EXPECT_EQ(line.value(OptionId::server), "fs");
  EXPECT_THAT(line.words(), ElementsAre("read", "path=a"));
  EXPECT_EQ(line.words_before_dashes(), 2U);
}

TEST(CommandLine, words_are_taken_as_they_are) {
  const Words odd = {"call", "{}", "[a,b]", "{\"a\":[1]}", "-", "", "a=--b", "%%", "x:=[1,2]"};
  EXPECT_EQ(parsed(odd).words(), Words(odd.begin() + 1, odd.end()));
  EXPECT_EQ(parsed({"call", "x", "--server", "[a,b]"}).value(OptionId::server), "[a,b]");
  EXPECT_EQ(parsed({"call", "x", "--server", "{}"}).value(OptionId::server), "{}");
  EXPECT_EQ(parsed({"call", "x", "--server", ""}).value(OptionId::server), "");
  EXPECT_EQ(parsed({"call", "x", "-5"}).words(), (Words{"x", "-5"}));
  EXPECT_EQ(parsed({"search", "++"}).words(), Words{"++"});
}

TEST(CommandLine, letters_may_stand_together_the_last_with_its_value) {
  const CommandLine line = parsed({"call", "x", "-qofile", "y"});
  EXPECT_TRUE(line.has(OptionId::quiet));
  EXPECT_EQ(line.value(OptionId::output), "file");
  EXPECT_EQ(parsed({"call", "x", "-qo", "-"}).value(OptionId::output), "-");
  EXPECT_THAT(line.words(), ElementsAre("x", "y"));
  EXPECT_EQ(complaint({"status", "-qx=1"}), "unknown option -x. See pi-mcp status --help");
  EXPECT_EQ(complaint({"call", "x", "-qo"}),
            "--output needs a value: --output FILE. See pi-mcp call --help");
}

TEST(CommandLine, a_value_may_look_like_an_option) {
  const CommandLine line = parsed({"call", "x", "--server", "--json", "--output=--quiet"});
  EXPECT_EQ(line.value(OptionId::server), "--json");
  EXPECT_EQ(line.value(OptionId::output), "--quiet");
  EXPECT_FALSE(line.has(OptionId::json));
  EXPECT_FALSE(line.has(OptionId::quiet));
}

TEST(CommandLine, flags_take_no_value_but_true) {
  EXPECT_TRUE(parsed({"status", "--json=true"}).has(OptionId::json));
  EXPECT_TRUE(parsed({"status", "--json="}).has(OptionId::json));
  EXPECT_EQ(complaint({"status", "--json=false"}),
            "--json takes no value. See pi-mcp status --help");
}

TEST(CommandLine, an_empty_value_does_not_swallow_the_next_word) {
  const CommandLine line = parsed({"call", "--server=", "x"});
  EXPECT_EQ(line.value(OptionId::server), "");
  EXPECT_EQ(line.words(), Words{"x"});
}

TEST(CommandLine, everything_behind_the_dashes_belongs_to_the_command_of_the_server) {
  const CommandLine line = parsed({"add",
                                   "x",
                                   "-e",
                                   "A=1",
                                   "--env=B=2=3",
                                   "-eC=",
                                   "--cwd",
                                   "/srv",
                                   "--",
                                   "npx",
                                   "-y",
                                   "--",
                                   "--json",
                                   "-e"});
  EXPECT_THAT(line.words(), ElementsAre("x", "npx", "-y", "--", "--json", "-e"));
  EXPECT_EQ(line.words_before_dashes(), 1U);
  EXPECT_THAT(line.values(OptionId::env), ElementsAre("A=1", "B=2=3", "C="));
  EXPECT_EQ(line.value(OptionId::server_cwd), "/srv");
  EXPECT_FALSE(line.has(OptionId::json));
  EXPECT_FALSE(line.has(OptionId::cwd)) << "--cwd of add is the server's";
}

TEST(CommandLine, a_global_option_before_add_stays_global) {
  const CommandLine line = parsed({"--cwd", "/project", "add", "x", "--", "cmd"});
  EXPECT_EQ(line.value(OptionId::cwd), "/project");
  EXPECT_FALSE(line.has(OptionId::server_cwd));
}

TEST(CommandLine, the_last_of_several_values_counts) {
  EXPECT_EQ(parsed({"--config", "a", "status", "--config", "b"}).value(OptionId::config), "b");
}

TEST(CommandLine, no_command_and_help_without_its_words_are_fine) {
  EXPECT_EQ(parsed({}).command(), nullptr);
  EXPECT_TRUE(parsed({"--version"}).has(OptionId::version));
  EXPECT_TRUE(parsed({"-h"}).has(OptionId::help));
  EXPECT_TRUE(parsed({"describe", "--help"}).has(OptionId::help));
}

TEST(CommandLine, completion_requests_are_not_parsed) {
  EXPECT_THAT(parsed({"__complete", "call", "--serv", "--", ""}).words(),
              ElementsAre("call", "--serv", "--", ""));
}

TEST(CommandLine, json_is_noticed_even_when_nothing_else_can_be_read) {
  EXPECT_TRUE(asks_for_json({"lst", "--json"}));
  EXPECT_FALSE(asks_for_json({"add", "x", "--", "cmd", "--json"}));
}

}  // namespace
}  // namespace pi_mcp::cli
