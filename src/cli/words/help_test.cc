#include "cli/words/help.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/show/exit_status.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::string documentation() {
  std::ifstream file(PI_MCP_SOURCE_DIR "/docs/cli.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The part of docs/cli.md under "## `pi-mcp NAME`".
std::string section(const std::string& title) {
  const std::string text = documentation();
  const std::size_t start = text.find("\n## " + title + "\n");
  if (start == std::string::npos) {
    return "";
  }
  return text.substr(start, text.find("\n## ", start + 1) - start);
}

// Every "--name" in a text.
std::set<std::string> options_in(const std::string& text) {
  static const std::regex option("(?:^|[^-A-Za-z0-9])(--[a-z][a-z-]+)");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), option), end; match != end; ++match) {
    names.insert((*match)[1]);
  }
  return names;
}

TEST(Help, fits_a_terminal_of_80_columns_wherever_a_sentence_can_be_broken) {
  for (const Command& command : commands()) {
    for (const std::string_view line : text::split(command.text, '\n')) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  }
  const std::string help = general_help(Style());
  for (const std::string_view line : text::split(help, '\n')) {
    EXPECT_LE(line.size(), 100U) << line;
  }
}

std::vector<Command> shown_commands() {
  std::vector<Command> shown;
  std::ranges::copy_if(commands(), std::back_inserter(shown), [](const Command& command) {
    return command.group != Group::hidden;
  });
  return shown;
}

std::set<std::string> names_of(std::span<const Option> options) {
  std::set<std::string> names;
  for (const Option& option : options) {
    names.insert(std::string(option.name));
  }
  return names;
}

TEST(Help, names_every_command_and_no_hidden_one) {
  const std::string all = general_help(Style());
  EXPECT_THAT(all, Not(HasSubstr("__complete")));
  for (const Command& command : shown_commands()) {
    EXPECT_THAT(all, HasSubstr("  " + std::string(command.name) + " "));
  }
}

TEST(Help, of_a_command_has_its_usage_its_options_and_examples) {
  for (const Command& command : shown_commands()) {
    const std::string own = command_help(command, Style());
    EXPECT_THAT(own, HasSubstr(usage_line(command) + "\n"));
    EXPECT_THAT(own, HasSubstr("\nExamples\n  pi-mcp "));
    std::set<std::string> expected = names_of(command.options);
    expected.merge(names_of(global_options()));
    EXPECT_THAT(options_in(own), IsSupersetOf(expected));
  }
}

TEST(Help, the_manual_has_the_options_of_every_command) {
  EXPECT_EQ(options_in(section("Options of every command")), names_of(global_options()));
}

std::string manual_of(const Command& command) {
  return section("`pi-mcp " + std::string(command.name) + "`");
}

TEST(Help, the_manual_describes_every_command_and_option) {
  for (const Command& command : shown_commands()) {
    const std::string form =
        "pi-mcp " + std::string(command.name) + " " + std::string(command.words);
    EXPECT_THAT(manual_of(command), HasSubstr(text::trim(form)));
    EXPECT_THAT(options_in(manual_of(command)), IsSupersetOf(names_of(command.options)));
  }
}

TEST(Help, the_manual_describes_no_option_that_is_not_there) {
  for (const Command& command : shown_commands()) {
    for (const std::string& option : options_in(manual_of(command))) {
      EXPECT_NE(find_option(&command, option), nullptr) << command.name << " has no " << option;
    }
  }
}

TEST(Help, the_manual_has_every_exit_status) {
  const std::string text = section("Exit status");
  const std::string help = exit_status_help("");
  for (const std::string_view line : text::split(text::trim(help), '\n')) {
    EXPECT_THAT(text, HasSubstr("`" + std::string(line.substr(0, line.find(' '))) + "`"));
  }
}

TEST(Help, the_man_page_has_every_command_and_option) {
  const std::string page = manual_page();
  EXPECT_THAT(page, StartsWith(".TH PI-MCP 1"));
  for (const Command& command : shown_commands()) {
    EXPECT_THAT(page, HasSubstr("\n.B pi\\-mcp " + text::replace_all(command.name, "-", "\\-")));
  }
  EXPECT_THAT(page, HasSubstr("\\-\\-timeout SECONDS"));
  EXPECT_THAT(page, Not(HasSubstr("__complete")));
}

}  // namespace
}  // namespace pi_mcp::cli
