#include "cli/commands/add_words.h"

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
  const Result<std::vector<tool::NewServer>> servers = added_servers(
      *line,
      {.is_program = [](const std::string& word) { return word == "/opt/my servers/run"; },
       .folder = "/srv/me"},
      [](const std::string& path) -> Result<std::string> {
        return path == "-"
                   ? R"({"mcpServers": {"a": {"command": "x"}, /* c */ "b": {"url": "u"},}})"
                   : R"({"command": "npx -y pkg", "env": {"A": "1"}})";
      });
  if (!servers) {
    return servers.error().message();
  }
  std::string all;
  for (const tool::NewServer& server : *servers) {
    all += (all.empty() ? "" : "\n") + server.name + " " + server.entry_json;
  }
  return all;
}

TEST(AddWords, a_command_is_everything_behind_the_dashes) {
  EXPECT_EQ(added({"files", "--", "npx", "-y", "pkg", "--flag"}),
            R"(files {"command":"npx","args":["-y","pkg","--flag"]})");
  EXPECT_EQ(added({"files", "--", "cmd"}), R"(files {"command":"cmd"})");
  EXPECT_EQ(added({"files", "cmd", "arg"}), R"(files {"command":"cmd","args":["arg"]})")
      << "without options of its own a command needs no dashes";
  EXPECT_EQ(added({"files", "--", "https://not-a-url"}),
            R"(files {"command":"https://not-a-url"})");
}

TEST(AddWords, a_command_in_quotation_marks_is_divided_as_a_shell_divides_it) {
  EXPECT_EQ(added({"m", "--", "npx -y @scope/server --root ${HOME}"}),
            R"(m {"command":"npx","args":["-y","@scope/server","--root","${HOME}"]})");
  EXPECT_EQ(added({"m", "--", "/opt/my servers/run"}), R"(m {"command":"/opt/my servers/run"})");
  EXPECT_EQ(added({"m", "--", "npx", "two words"}), R"(m {"command":"npx","args":["two words"]})");
  EXPECT_EQ(added({"m", "--", "sh -c 'exec server'"}),
            R"(m {"command":"sh","args":["-c","exec server"]})");
  EXPECT_THAT(added({"m", "--", "sh -c 'exec"}), HasSubstr("a ' that is not closed. See"));
  EXPECT_THAT(added({"m", "--", "a && b"}), HasSubstr("a & that only a shell understands"));
  EXPECT_THAT(added({"m", "--", " "}), HasSubstr("the command is empty. See pi-mcp add --help"));
}

TEST(AddWords, an_option_takes_a_command_line_and_more_words) {
  EXPECT_EQ(added({"m", "--stdio", "'a b' \"c d\"", "--arg", "e f", "--arg", "./g"}),
            R"(m {"command":"a b","args":["c d","e f","/srv/me/g"]})");
  EXPECT_EQ(added({"m", "--stdio", "'a b'"}), R"(m {"command":"a b"})");
  EXPECT_EQ(added({"m", "--stdio", "npx -y", "--arg", "pkg"}),
            R"(m {"command":"npx","args":["-y","pkg"]})");
  EXPECT_EQ(added({"m", "--stdio", "/opt/my servers/run"}),
            R"(m {"command":"/opt/my servers/run"})");
}

TEST(AddWords, variables_and_the_folder_belong_to_the_command) {
  EXPECT_EQ(added({"a", "-e", "B=1=2", "--env", "C=", "--cwd", "/srv", "--", "cmd"}),
            R"(a {"command":"cmd","env":{"B":"1=2","C":""},"cwd":"/srv"})");
  EXPECT_THAT(added({"a", "--env", "secret", "--", "cmd"}), HasSubstr("--env wants NAME=VALUE"));
  EXPECT_THAT(added({"a", "--env", "=x", "--", "cmd"}), HasSubstr("--env wants NAME=VALUE"));
  EXPECT_THAT(added({"a", "--header", "X:1", "--", "cmd"}), HasSubstr("for servers with a URL"));
}

TEST(AddWords, a_url_takes_headers) {
  EXPECT_EQ(added({"docs", "https://example.com/mcp", "--header", "X-Key:  a b "}),
            R"(docs {"url":"https://example.com/mcp","headers":{"X-Key":"a b"}})");
  EXPECT_THAT(added({"docs", "ftp://x"}), HasSubstr("starts with https://"));
  EXPECT_THAT(added({"docs", "https://x", "y"}), HasSubstr("takes no arguments"));
  EXPECT_THAT(added({"docs", "https://x", "--env", "A=1"}), HasSubstr("with a command"));
  EXPECT_THAT(added({"docs", "https://x", "--header", "nothing"}),
              HasSubstr("--header wants NAME:VALUE"));
}

TEST(AddWords, a_name_is_a_word_that_tools_can_be_named_after) {
  EXPECT_THAT(added({"my server", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"-", "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({std::string(65, 'x'), "--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"--", "cmd"}), HasSubstr("cannot be the name"));
  EXPECT_THAT(added({"a"}), HasSubstr("add needs a URL, a command or JSON"));
  EXPECT_THAT(added({"a", "--", ""}), HasSubstr("the command is empty"));
}

TEST(AddWords, json_is_an_entry_or_all_of_mcpServers) {
  EXPECT_EQ(added({"m", R"({"command": "context7-mcp", "args": []})"}),
            R"(m {"command":"context7-mcp","args":[]})");
  EXPECT_EQ(added({R"({"mcpServers": {"m": {"url": "https://x"}}})"}), R"(m {"url":"https://x"})");
  EXPECT_EQ(added({R"({"servers": {"m": {"url": "https://x"}}})"}), R"(m {"url":"https://x"})");
  EXPECT_EQ(added({R"({"m": {"command": "x"}})"}), R"(m {"command":"x"})");
  EXPECT_EQ(added({"n", R"({"mcpServers": {"m": {"command": "x"}}})"}), R"(n {"command":"x"})");
  EXPECT_EQ(added({"-"}), "a {\"command\":\"x\"}\nb {\"url\":\"u\"}");
  EXPECT_EQ(added({"m", "@entry.json"}),
            R"(m {"command":"npx","args":["-y","pkg"],"env":{"A":"1"}})");
  EXPECT_THAT(added({"m", "-"}), HasSubstr("leave NAME out"));
  EXPECT_THAT(added({R"({"command": "x"})"}), HasSubstr("say its name"));
  EXPECT_THAT(added({"m", "{broken"}), HasSubstr("cannot be read"));
  EXPECT_THAT(added({R"({"mcpServers": {"m": {"cmd": "x"}}})"}), HasSubstr("no command or url"));
  EXPECT_THAT(added({"{}"}), HasSubstr("has no server"));
}

TEST(AddWords, the_flags_of_claude_code_and_mcporter_are_known) {
  EXPECT_EQ(added({"--transport", "sse", "m", "https://x", "-s", "user", "--header", "A: b"}),
            R"(m {"url":"https://x","type":"sse","headers":{"A":"b"}})");
  EXPECT_EQ(added({"m", "--url", "https://x", "--header", "A=b"}),
            R"(m {"url":"https://x","headers":{"A":"b"}})");
  EXPECT_EQ(added({"m", "--command", "npx -y pkg", "--arg", "--stdio", "--description", "Does"}),
            R"(m {"command":"npx","args":["-y","pkg","--stdio"],"description":"Does"})");
  EXPECT_THAT(added({"m", "--url", "https://x", "https://y"}), HasSubstr("given twice"));
}

TEST(AddWords, what_is_given_as_a_url_is_one) {
  EXPECT_THAT(added({"m", "--url", "/opt/run.sh"}),
              HasSubstr("a URL starts with https:// or http://, unlike \"/opt/run.sh\". See"));
  EXPECT_THAT(added({"m", "--url", "srv --flag"}), HasSubstr("unlike \"srv --flag\". See"));
  EXPECT_THAT(added({"m", "--url", "ftp://x.example/"}), HasSubstr("\"ftp://x.example/\". See"));
  EXPECT_THAT(added({"m", "--url", ""}), HasSubstr("unlike \"\". See"));
  EXPECT_THAT(added({"m", "--url", "foo.com/mcp"}),
              HasSubstr("unlike \"foo.com/mcp\"; write https://foo.com/mcp. See"));
  EXPECT_THAT(added({"m", "--url", "intranet:8080"}), HasSubstr("write https://intranet:8080. "));
  EXPECT_THAT(added({"m", "--url", "localhost/mcp"}), HasSubstr("write http://localhost/mcp. "));
  EXPECT_THAT(added({"m", "--url", "127.0.0.1:8/mcp"}), HasSubstr("http://127.0.0.1:8/mcp. "));
  EXPECT_THAT(added({"m", "--url", "C:x"}), HasSubstr("unlike \"C:x\". See"));
}

TEST(AddWords, an_address_without_its_scheme_is_no_program) {
  EXPECT_THAT(added({"m", "example.com/mcp"}),
              HasSubstr("unlike \"example.com/mcp\"; write https://example.com/mcp. See"));
  EXPECT_EQ(added({"m", "./tool.d/run"}), R"(m {"command":"/srv/me/tool.d/run"})");
  EXPECT_EQ(added({"m", "--", "example.com/mcp"}), R"(m {"command":"example.com/mcp"})");
}

TEST(AddWords, json_that_could_never_start_is_refused) {
  EXPECT_EQ(added({R"({"mcpServers": {"ws": {"serverUrl": "http://x.example/mcp"}}})"}),
            R"(ws {"url":"http://x.example/mcp"})");
  EXPECT_THAT(added({"m", R"({"command": 5})"}),
              HasSubstr("server \"m\": \"command\" must be a string, found a number. See"));
  EXPECT_THAT(added({"m", R"({"command": ["python3", "x.py"]})"}),
              HasSubstr("found an array; its first word is \"command\", the others are \"args\""));
  EXPECT_THAT(added({"m", R"({"command": "x", "url": "https://x"})"}),
              HasSubstr("has command and url; one of them has to go"));
}

TEST(AddWords, a_transport_that_there_is_not_is_refused) {
  EXPECT_THAT(added({"m", "https://x", "--transport", "foo"}),
              HasSubstr("--transport wants stdio, http or sse, not \"foo\""));
}

TEST(AddWords, one_server_is_given_in_one_way) {
  EXPECT_THAT(added({"m", "--stdio", "srv", "--url", "https://x.example/mcp"}),
              HasSubstr("--stdio \"srv\" and --url \"https://x.example/mcp\" are two servers"));
}

TEST(AddWords, addresses_are_checked) {
  EXPECT_THAT(added({"m", "https://x:99999/mcp"}), HasSubstr("port"));
  EXPECT_THAT(added({"m", "127.0.0.1:8080/mcp"}), HasSubstr("write http://127.0.0.1:8080/mcp"));
  EXPECT_EQ(added({"m", "https://${HOST}:1/"}), R"(m {"url":"https://${HOST}:1/"})");
}

TEST(AddWords, relative_arguments_are_made_absolute) {
  EXPECT_EQ(added({"m", "--", "server", ".", "./x", "../y", "z"}),
            R"(m {"command":"server","args":["/srv/me","/srv/me/x","/srv/me/../y","z"]})");
}

}  // namespace
}  // namespace pi_mcp::cli
