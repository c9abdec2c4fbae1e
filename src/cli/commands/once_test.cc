#include "cli/commands/once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;

// "name entry | words"
std::string once(const std::vector<std::string>& arguments) {
  const Result<CommandLine> line = CommandLine::parse(arguments);
  if (!line) {
    return line.error().message();
  }
  const Result<std::optional<OnceServer>> server =
      once_server(*line, {.is_program = [](const std::string&) { return false; }, .folder = {}});
  if (!server) {
    return server.error().message();
  }
  return !*server ? "none"
                  : (*server)->name + " " + (*server)->entry_json + " | " +
                        text::join((*server)->line.words(), " ");
}

TEST(OnceServer, an_option_or_a_url_brings_a_server) {
  EXPECT_EQ(once({"list", "--stdio", "npx -y @playwright/mcp"}),
            R"(playwright {"command":"npx","args":["-y","@playwright/mcp"]} | )");
  EXPECT_EQ(once({"list", "https://mcp.linear.app/mcp"}),
            R"(linear {"url":"https://mcp.linear.app/mcp"} | )");
  EXPECT_EQ(once({"search", "--url", "http://127.0.0.1:80/mcp", "--header", "A: b", "issue"}),
            R"(local-mcp {"url":"http://127.0.0.1:80/mcp","headers":{"A":"b"}} | issue)");
  EXPECT_EQ(once({"call", "https://h.example/mcp.tool", "a=1"}),
            R"(h {"url":"https://h.example/mcp"} | tool a=1)");
  EXPECT_EQ(once({"https://h.example/mcp", "tool", "a=1"}),
            R"(h {"url":"https://h.example/mcp"} | tool a=1)");
  EXPECT_EQ(once({"call", "https://h.example/mcp.tool(u: http://x/y.z)"}),
            R"(h {"url":"https://h.example/mcp"} | tool(u: http://x/y.z))");
  EXPECT_EQ(once({"list", "files"}), "none");
  EXPECT_EQ(once({"read", "demo://a/b"}), "none");
}

TEST(OnceServer, in_a_call_what_stands_behind_the_tool_is_the_tools) {
  EXPECT_EQ(once({"call", "--stdio", "srv -e x", "fetch", "--url", "https://x"}),
            R"(srv {"command":"srv","args":["-e","x"]} | fetch --url https://x)");
  EXPECT_EQ(once({"call", "fetch", "--url", "https://x"}), "none");
}

TEST(OnceServer, a_url_is_never_a_command) {
  EXPECT_THAT(once({"list", "--url", "/opt/run.sh"}),
              HasSubstr("\"/opt/run.sh\". See pi-mcp list"));
  EXPECT_THAT(once({"list", "--url", "foo.com/mcp"}), HasSubstr("write https://foo.com/mcp"));
  EXPECT_THAT(once({"list", "--url", "https://x", "--stdio", "srv"}), HasSubstr("are two servers"));
}

TEST(OnceServer, a_command_line_is_one_value_and_the_only_server) {
  EXPECT_EQ(once({"list", "--stdio", "python3 'a b/s.py'"}),
            R"(a {"command":"python3","args":["a b/s.py"]} | )");
  for (const std::string command : {"list", "resources", "prompts", "emit-cli"}) {
    const std::string help = ". See pi-mcp " + command + " --help";
    EXPECT_EQ(once({command, "--stdio", "python3 -u", "s.py"}),
              command +
                  " takes one server, of --stdio or \"s.py\"; a command and its arguments are one "
                  "value: --stdio 'python3 -u s.py'" +
                  help);
    EXPECT_EQ(once({command, "--url", "https://h.example/mcp", "files"}),
              command + " takes one server, of --url or \"files\"" + help);
  }
  EXPECT_THAT(once({"list", "--stdio", "a 'b"}),
              HasSubstr("a ' that is not closed. See pi-mcp list --help"));
  EXPECT_THAT(once({"list", "--stdio", "a", "-e", "B"}), HasSubstr("See pi-mcp list --help"));
}

TEST(OnceServer, it_is_kept_under_the_name_that_is_said) {
  EXPECT_EQ(once({"list", "--stdio", "srv", "--save", "mine"}), R"(mine {"command":"srv"} | )");
  EXPECT_THAT(once({"list", "files", "--save", "x"}), HasSubstr("--save keeps a server"));
  EXPECT_THAT(once({"call", "https://h.example/mcp"}), HasSubstr("a tool is missing"));
  EXPECT_THAT(once({"list", "https://h:99999/"}), HasSubstr("port"));
}

}  // namespace
}  // namespace pi_mcp::cli
