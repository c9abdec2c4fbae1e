#include "cli/commands/new_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;

std::string added(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "add");
  const Result<CommandLine> line = CommandLine::parse(arguments);
  if (!line) {
    return line.error().message();
  }
  const Result<NewServer> server =
      new_server(*line, [](const std::string& word) { return word == "/opt/my servers/run"; });
  return server ? server->name + " " + server->entry_json : server.error().message();
}

TEST(NewServer, a_command_is_everything_behind_the_dashes) {
  EXPECT_EQ(added({"files", "--", "npx", "-y", "pkg", "--flag"}),
            R"(files {"command":"npx","args":["-y","pkg","--flag"]})");
  EXPECT_EQ(added({"files", "--", "cmd"}), R"(files {"command":"cmd"})");
  EXPECT_EQ(added({"files", "cmd", "arg"}), R"(files {"command":"cmd","args":["arg"]})")
      << "without options of its own a command needs no dashes";
  EXPECT_EQ(added({"files", "--", "https://not-a-url"}),
            R"(files {"command":"https://not-a-url"})");
}

TEST(NewServer, a_command_in_quotation_marks_is_divided_where_a_shell_would_do_no_more) {
  EXPECT_EQ(added({"m", "--", "npx -y @scope/server --root ${HOME}"}),
            R"(m {"command":"npx","args":["-y","@scope/server","--root","${HOME}"]})");
  EXPECT_EQ(added({"m", "--", "/opt/my servers/run"}), R"(m {"command":"/opt/my servers/run"})");
  EXPECT_EQ(added({"m", "--", "npx", "two words"}), R"(m {"command":"npx","args":["two words"]})");
  EXPECT_THAT(added({"m", "--", "sh -c 'exec server'"}), HasSubstr("write its words apart"));
}

TEST(NewServer, variables_and_the_folder_belong_to_the_command) {
  EXPECT_EQ(added({"a", "-e", "B=1=2", "--env", "C=", "--cwd", "/srv", "--", "cmd"}),
            R"(a {"command":"cmd","env":{"B":"1=2","C":""},"cwd":"/srv"})");
  EXPECT_THAT(added({"a", "--env", "secret", "--", "cmd"}), HasSubstr("--env wants NAME=VALUE"));
  EXPECT_THAT(added({"a", "--env", "=x", "--", "cmd"}), HasSubstr("--env wants NAME=VALUE"));
  EXPECT_THAT(added({"a", "--header", "X:1", "--", "cmd"}), HasSubstr("for servers with a URL"));
}

TEST(NewServer, a_url_takes_headers) {
  EXPECT_EQ(added({"docs", "https://example.com/mcp", "--header", "X-Key:  a b "}),
            R"(docs {"url":"https://example.com/mcp","headers":{"X-Key":"a b"}})");
  EXPECT_THAT(added({"docs", "ftp://x"}), HasSubstr("starts with https://"));
  EXPECT_THAT(added({"docs", "https://x", "y"}), HasSubstr("takes no arguments"));
  EXPECT_THAT(added({"docs", "https://x", "--env", "A=1"}), HasSubstr("with a command"));
  EXPECT_THAT(added({"docs", "https://x", "--header", "nothing"}),
              HasSubstr("--header wants NAME:VALUE"));
}

TEST(NewServer, a_name_is_a_word_that_tools_can_be_named_after) {
  EXPECT_THAT(added({"my server", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"-", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({std::string(65, 'x'), "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"a"}), HasSubstr("add needs a URL or a command"));
  EXPECT_THAT(added({"a", "--", ""}), HasSubstr("the command is empty"));
}

}  // namespace
}  // namespace pi_mcp::cli
