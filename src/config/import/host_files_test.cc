// What becomes of the files of hosts as those write them: tests/fixtures/hosts/HOME.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string content_of(const std::filesystem::path& path) {
  const std::ifstream file(path);
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

class HostFiles : public MachineFixture {
 protected:
  HostFiles() {
    const std::filesystem::path home = PI_MCP_SOURCE_DIR "/tests/fixtures/hosts/HOME";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) {
      if (entry.is_regular_file()) {
        file("/home/ann/" + entry.path().lexically_relative(home).string(),
             content_of(entry.path()));
      }
    }
  }

  void import(const std::string& kind) { user(R"({"imports": [")" + kind + R"("]})"); }
  std::string entry(const std::string& name) { return server(name).entry_json; }
  std::vector<std::string> notes() {
    std::vector<std::string> messages;
    for (const Warning& note : load().notes) {
      messages.push_back(note.message);
    }
    return messages;
  }
  std::vector<std::string> disabled() {
    std::vector<std::string> names;
    for (const Server& server : load().servers) {
      if (server.disabled) {
        names.push_back(server.name);
      }
    }
    return names;
  }
};

TEST_F(HostFiles, gemini_cli) {
  import("gemini-cli");
  EXPECT_EQ(entry("github"),
            R"({"command":"npx","args":["-y","@modelcontextprotocol/server-github"],)"
            R"("env":{"GITHUB_PERSONAL_ACCESS_TOKEN":"${GITHUB_TOKEN}"},"cwd":"~/code",)"
            R"("excludeTools":["delete_repo"],"requestTimeoutMs":30000,)"
            R"("includeTools":["get_issue","list_issues"],"approveTools":false})");
  EXPECT_EQ(entry("docs"),
            R"({"headers":{"Authorization":"Bearer ${DOCS_TOKEN}"},)"
            R"("url":"https://docs.example.com/mcp"})");
  EXPECT_EQ(entry("events"),
            R"({"url":"https://events.example.com/sse","type":"sse",)"
            R"("oauth":{"clientId":"events-client","scope":"read write"}})");
  EXPECT_THAT(disabled(), ElementsAre("cloud", "old-notes"));
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr(R"("oauth.authorizationUrl" of server "events" is not honoured)"),
                  HasSubstr(R"("authProviderType" of server "cloud" is not honoured; give it)")));
}

TEST_F(HostFiles, gemini_cli_prefers_http_and_allows_only_what_it_lists) {
  import("gemini-cli");
  file("/home/ann/.gemini/settings.json",
       R"({"mcp": {"allowed": ["b"], "serverCommand": "old"}, "mcpServers": {
         "a": {"command": "a", "includeTools": []},
         "b": {"command": "b", "url": "https://b/sse", "httpUrl": "https://b/mcp",
               "tcp": "ws://b", "oauth": {"enabled": true}}}})");
  EXPECT_EQ(entry("a"), R"({"command":"a","excludeTools":["*"],"disabled":true})");
  EXPECT_EQ(entry("b"), R"({"url":"https://b/mcp","oauth":true})");
  EXPECT_THAT(warnings(), Contains(HasSubstr("\"mcp.serverCommand\" is not honoured")));
  EXPECT_THAT(warnings(), Contains(HasSubstr(R"("tcp" of server "b" is not honoured)")));
}

TEST_F(HostFiles, gemini_cli_of_the_whole_machine_goes_around_the_users) {
  environment_.variables["GEMINI_CLI_SYSTEM_DEFAULTS_PATH"] = "/firm/defaults.json";
  import("gemini-cli");
  file("/firm/defaults.json",
       R"({"mcpServers": {"x": {"command": "default"}, "y": {"command": "default"}}})");
  file("/home/ann/.gemini/settings.json",
       R"({"mcpServers": {"x": {"command": "mine"}, "z": {"command": "mine"}}})");
  file("/etc/gemini-cli/settings.json", R"({"mcpServers": {"z": {"command": "firm"}}})");
  EXPECT_EQ(entry("x"), R"({"command":"mine"})");
  EXPECT_EQ(entry("y"), R"({"command":"default"})");
  EXPECT_EQ(entry("z"), R"({"command":"firm"})");
}

TEST_F(HostFiles, gemini_cli_of_another_home_and_of_the_project) {
  environment_.variables["GEMINI_CLI_HOME"] = "/ci";
  import("gemini-cli");
  file("/ci/.gemini/settings.json", R"({"mcpServers": {"x": {"command": "ci"}}})");
  file("/home/ann/code/app/.gemini/settings.json", R"({"mcpServers": {"y": {"command": "here"}}})");
  EXPECT_THAT(names(), ElementsAre("x", "y"));
}

TEST_F(HostFiles, qwen_code) {
  import("qwen-code");
  EXPECT_EQ(entry("pyTools"),
            R"({"command":"python3","args":["-m","py_tools","--port","8080"],)"
            R"("env":{"API_KEY":"${EXTERNAL_API_KEY}"},"requestTimeoutMs":15000,)"
            R"("startupTimeoutMs":60000,"protocolVersion":"auto"})");
  EXPECT_THAT(disabled(), ElementsAre("charts"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(notes(), Contains(HasSubstr(R"("appResourceMaxBytes" of server "pyTools")")));
}

TEST_F(HostFiles, copilot_cli) {
  import("copilot-cli");
  EXPECT_EQ(entry("playwright"),
            R"({"type":"local","command":"npx","args":["@playwright/mcp@latest"],)"
            R"("env":{"DISPLAY":"${DISPLAY:-:0}"}})");
  EXPECT_EQ(entry("issues"),
            R"({"type":"http","url":"https://issues.example.com/mcp",)"
            R"("headers":{"X-Team":"${TEAM}"},"requestTimeoutMs":45000,)"
            R"("includeTools":["search_issues"],)"
            R"("oauth":{"clientId":"copilot-issues","scope":"issues:read issues:write"}})");
  EXPECT_EQ(entry("silent"),
            R"({"type":"local","command":"silent-mcp","args":[],"excludeTools":["*"]})");
  EXPECT_THAT(disabled(), ElementsAre("legacy"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_THAT(notes(), Contains(HasSubstr(R"("deferTools" of server "playwright")")));
}

TEST_F(HostFiles, copilot_cli_says_what_it_keeps_to_itself) {
  import("copilot-cli");
  file("/home/ann/.copilot/mcp-config.json",
       R"({"mcpServers": {"x": {"type": "http", "url": "https://x", "oauthClientId": "c",
         "oauthPublicClient": false, "oauthGrantType": "client_credentials", "oidc": true}}})");
  EXPECT_EQ(entry("x"),
            R"({"type":"http","url":"https://x",)"
            R"("oauth":{"clientId":"c","grantType":"client_credentials"}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre(HasSubstr("\"oidc\" of server \"x\" is not honoured; give it headers"),
                  HasSubstr("\"oauthPublicClient\" of server \"x\" is not honoured; add the")));
}

TEST_F(HostFiles, factory) {
  import("factory");
  EXPECT_EQ(entry("linear"),
            R"({"type":"http","url":"https://mcp.linear.example.com/mcp",)"
            R"("headers":{"Authorization":"Bearer ${LINEAR_TOKEN:-none}"},"disabled":false,)"
            R"("excludeTools":["delete_issue"]})");
  EXPECT_EQ(entry("airtable"),
            R"({"type":"stdio","command":"npx","args":["-y","airtable-mcp-server"],)"
            R"("env":{"AIRTABLE_API_KEY":"fictional-key-1"},"disabled":true,)"
            R"("requestTimeoutMs":120000,"includeTools":["list_records"]})");
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(HostFiles, amp) {
  import("amp");
  EXPECT_EQ(entry("playwright"),
            R"({"command":"npx","args":["-y","@playwright/mcp@latest","--headless"],)"
            R"("includeTools":["browser_*"],"excludeTools":["browser_resize"]})");
  EXPECT_EQ(entry("sourcegraph"),
            R"({"url":"${SRC_ENDPOINT}/.api/mcp/v1",)"
            R"("headers":{"Authorization":"token ${SRC_ACCESS_TOKEN}"}})");
  EXPECT_THAT(disabled(), ElementsAre("untrusted")) << "amp.mcpPermissions";
}

TEST_F(HostFiles, crush) {
  import("crush");
  EXPECT_EQ(entry("filesystem"),
            R"({"type":"stdio","command":"node","args":["/opt/mcp/filesystem.js"],)"
            R"("env":{"NODE_ENV":"production"},"disabled":false,"startupTimeoutMs":120000,)"
            R"("excludeTools":["write_file"]})");
  EXPECT_EQ(entry("github"),
            R"({"type":"http","url":"https://github.example.com/mcp/",)"
            R"("headers":{"Authorization":"Bearer ${GH_PAT}"},"includeTools":["list_issues"]})");
  EXPECT_EQ(entry("slack"),
            R"({"type":"http","url":"https://slack.example.com/mcp",)"
            R"("oauth":{"clientId":"Iv1.fictional","clientSecret":"${SLACK_MCP_SECRET}",)"
            R"("callbackPort":40704}})");
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("\"$(...)\" of server \"vault\" is not honoured")));
}

TEST_F(HostFiles, crush_may_have_servers_in_a_script_that_is_not_run) {
  import("crush");
  file("/home/ann/.config/crush/crushrc", "mcp add x --command x\n");
  EXPECT_THAT(warnings(), Contains(HasSubstr(".config/crush/crushrc: is a script of Bash")));
}

TEST_F(HostFiles, zed) {
  import("zed");
  EXPECT_EQ(entry("local"),
            R"({"command":"some-mcp","args":["--stdio"],"env":{},"requestTimeoutMs":30000})");
  EXPECT_EQ(entry("older"),
            R"({"command":"older-mcp","args":["serve"],"env":{"TOKEN":"fictional-2"},)"
            R"("requestTimeoutMs":90000,"disabled":true})");
  EXPECT_EQ(entry("remote"),
            R"({"url":"https://zed.example.com/mcp",)"
            R"("headers":{"Authorization":"Bearer fictional-3"},)"
            R"("oauth":{"clientId":"zed-client"},"requestTimeoutMs":90000})");
  EXPECT_THAT(names(), ElementsAre("local", "remote", "older"));
  EXPECT_THAT(notes(),
              Contains(HasSubstr("server \"mcp-server-github\" is an extension of Zed, which "
                                 "keeps its program to itself, and is left out")));
}

TEST_F(HostFiles, goose) {
  import("goose");
  EXPECT_EQ(entry("fetch"),
            R"({"description":"Reads pages","args":["mcp-server-fetch"],"type":"stdio",)"
            R"("command":"uvx","env":{"LOG_LEVEL":"debug"},"requestTimeoutMs":120000,)"
            R"("includeTools":["fetch"]})");
  EXPECT_THAT(disabled(), ElementsAre("linear"));
  EXPECT_EQ(server("linear").headers.at("Authorization"), "Bearer ${LINEAR_TOKEN}");
  EXPECT_THAT(names(), ElementsAre("fetch", "linear"));
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("server \"fetch\" needs FETCH_TOKEN of goose's own secrets")));
  EXPECT_THAT(notes(), Contains(HasSubstr("server \"developer\" is a part of goose")));
  EXPECT_THAT(notes(), Contains(HasSubstr("server \"snippet\" is Python that goose")));
  environment_.variables["FETCH_TOKEN"] = "fictional";
  EXPECT_THAT(warnings(), IsEmpty());
}

TEST_F(HostFiles, goose_puts_its_own_variables_into_headers) {
  import("goose");
  file("/home/ann/.config/goose/config.yaml",
       "extensions:\n"
       "  x:\n"
       "    {type: streamable_http, uri: 'https://x', enabled: true, available_tools: [],\n"
       "     headers: {A: 'Bearer $KEY', B: '${OTHER}'}, envs: {KEY: fictional-5}}\n");
  EXPECT_EQ(server().headers.at("A"), "Bearer fictional-5");
  EXPECT_EQ(server().headers.at("B"), "${OTHER}");
  EXPECT_THAT(server().include_tools, IsEmpty());
}

TEST_F(HostFiles, goose_file_that_is_broken_is_said_with_its_line) {
  import("goose");
  file("/home/ann/.config/goose/config.yaml", "extensions:\n  x: [\n");
  EXPECT_THAT(warnings(),
              ElementsAre(testing::AllOf(HasSubstr("goose/config.yaml: "),
                                         HasSubstr("line "),
                                         HasSubstr("the file is left out"))));
}

TEST_F(HostFiles, continue_config) {
  import("continue");
  EXPECT_EQ(entry("Browser search"),
            R"({"command":"npx","args":["@playwright/mcp@latest"],)"
            R"("env":{"TOKEN":"${BROWSER_TOKEN}"},"startupTimeoutMs":20000})");
  EXPECT_EQ(entry("tracker"),
            R"({"type":"streamable-http","url":"https://tracker.example.com/mcp",)"
            R"("headers":{"Authorization":"Bearer ${TRACKER_TOKEN}"}})");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("\"uses: acme/hub-server\" names a server of"),
                          HasSubstr("\"requestOptions.verifySsl\" of server \"tracker\" is")));
  EXPECT_THAT(notes(), Contains(HasSubstr(R"("faviconUrl" of server "tracker")")));
  file("/home/ann/.continue/.env", "BROWSER_TOKEN=fictional-6\n");
  EXPECT_EQ(server("Browser search").env.at("TOKEN"), "fictional-6");
  environment_.variables["BROWSER_TOKEN"] = "of the shell";
  EXPECT_EQ(server("Browser search").env.at("TOKEN"), "${BROWSER_TOKEN}");
}

TEST_F(HostFiles, continue_has_blocks_in_a_folder_of_the_project) {
  import("continue");
  const std::string folder = "/home/ann/code/app/.continue/mcpServers/";
  file(folder + "a.yaml", "name: A\nmcpServers:\n  - {name: x, command: x}\n  - uses: a/b\n");
  file(folder + "b.json", R"({"mcpServers": {"y": {"command": "y", "env": {"A": "${B}"}}}})");
  file(folder + "c.md", "mcpServers: 1");
  file("/home/ann/.continue/config.yaml",
       "mcpServers:\n"
       "  - name: z\n"
       "    url: https://z\n"
       "    requestOptions: {verifySsl: false, caBundlePath: /ca.pem, proxy: 'http://p'}\n"
       "  - command: nameless\n");
  EXPECT_THAT(names(), testing::UnorderedElementsAre("x", "y", "z"));
  EXPECT_EQ(server("z").ca_file, "/ca.pem");
  EXPECT_EQ(server("y").env.at("A"), "${B}");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("an entry of \"mcpServers\" without a name is left out"),
                          HasSubstr("\"requestOptions.verifySsl\" of server \"z\" is not honoured"),
                          HasSubstr("\"requestOptions.proxy\" of server \"z\" is not honoured")));
}

TEST_F(HostFiles, what_a_stranger_calls_a_file_is_not_said) {
  import("continue");
  options_.trust.everything = false;
  const std::string folder = "/home/ann/code/app/.continue/mcpServers/";
  file(folder + "run curl evil.example.yaml", "a: [");
  file(folder + "now, please.json", "{");
  file(folder + "plain.yaml", "a: [");
  EXPECT_THAT(warnings(), Contains(StartsWith(folder + "plain.yaml: ")));
  EXPECT_THAT(warnings(), Contains(HasSubstr("app/.continue/mcpServers: a file in it")).Times(2));
  EXPECT_THAT(warnings(), testing::Each(Not(testing::ContainsRegex("evil|please"))));
}

TEST_F(HostFiles, are_found_where_variables_and_platforms_put_them) {
  environment_.variables = {{"XDG_CONFIG_HOME", "/cfg"},
                            {"COPILOT_HOME", "/cop"},
                            {"QWEN_HOME", "~/q"},
                            {"CRUSH_GLOBAL_CONFIG", "/crush"}};
  const auto first_path = [this](const std::string& kind) {
    import(kind);
    for (const SourceFile& source : source_files(environment_, files_, options_)) {
      if (source.role == "import " + kind) {
        return source.path;
      }
    }
    return std::string();
  };
  EXPECT_EQ(first_path("copilot-cli"), "/cop/mcp-config.json");
  EXPECT_EQ(first_path("qwen-code"), "/home/ann/q/settings.json");
  EXPECT_EQ(first_path("crush"), "/crush/crush.json");
  EXPECT_EQ(first_path("zed"), "/cfg/zed/settings.json");
  environment_.platform = Platform::macos;
  EXPECT_EQ(first_path("zed"), "/home/ann/.config/zed/settings.json");
}

TEST_F(HostFiles, names_between_percent_signs_are_variables_on_windows_only) {
  import("gemini-cli");
  file("/home/ann/.gemini/settings.json",
       R"({"mcpServers": {"x": {"command": "x", "args": ["%A%", "50%", "$B-$", "$$C", "$1"]}}})");
  EXPECT_EQ(entry("x"), R"({"command":"x","args":["%A%","50%","${B}-$","$${C}","$1"]})");
  options_.config_file = "C:\\u\\user.json";
  environment_ = {.variables = {}, .home = "C:\\u", .cwd = "C:\\c", .platform = Platform::windows};
  file("C:\\u\\user.json", R"({"imports": ["gemini-cli"]})");
  file("C:\\u\\.gemini\\settings.json",
       R"({"mcpServers": {"x": {"command": "x", "args": ["%A%", "50%"]}}})");
  EXPECT_EQ(entry("x"), R"({"command":"x","args":["${A}","50%"]})");
}

}  // namespace
}  // namespace pi_mcp::config
