// The hosts of family.cc: where their files are and what becomes of their keys. Each is one file as
// the host's documentation shows it, in tests/fixtures/hosts/HOME too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigImportFamily : public MachineFixture {
 protected:
  void import(const std::string& kind) { user(R"({"imports": [")" + kind + R"("]})"); }

  std::vector<std::string> import_paths(const std::string& kind) {
    import(kind);
    std::vector<std::string> paths;
    for (const SourceFile& source : source_files(environment_, files_, options_)) {
      if (source.role.starts_with("import")) {
        paths.push_back(source.path);
      }
    }
    return paths;
  }
};

TEST_F(ConfigImportFamily, paths_on_linux) {
  EXPECT_THAT(import_paths("kiro"),
              ElementsAre("/home/ann/.kiro/settings/mcp.json",
                          "/home/ann/code/app/.kiro/settings/mcp.json"));
  EXPECT_THAT(import_paths("lm-studio"),
              ElementsAre("/home/ann/.cache/lm-studio/mcp.json", "/home/ann/.lmstudio/mcp.json"));
  EXPECT_THAT(
      import_paths("junie"),
      ElementsAre("/home/ann/.junie/mcp/mcp.json", "/home/ann/code/app/.junie/mcp/mcp.json"));
  const std::vector<std::string> cline = import_paths("cline");
  EXPECT_EQ(cline.front(),
            "/home/ann/.config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/settings/"
            "cline_mcp_settings.json");
  EXPECT_EQ(cline.back(), "/home/ann/.cline/data/settings/cline_mcp_settings.json");
  const std::vector<std::string> roo = import_paths("roo-code");
  EXPECT_EQ(roo[4],
            "/home/ann/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/"
            "mcp_settings.json");
  EXPECT_EQ(roo.back(), "/home/ann/code/app/.roo/mcp.json");
}

TEST_F(ConfigImportFamily, cline_follows_its_variables) {
  environment_.variables = {{"CLINE_DIR", "~/c"}};
  EXPECT_EQ(import_paths("cline").back(), "/home/ann/c/data/settings/cline_mcp_settings.json");
  environment_.variables["CLINE_DATA_DIR"] = "/data";
  EXPECT_EQ(import_paths("cline").back(), "/data/settings/cline_mcp_settings.json");
  environment_.variables["CLINE_MCP_SETTINGS_PATH"] = "/m.json";
  EXPECT_EQ(import_paths("cline").back(), "/m.json");
}

TEST_F(ConfigImportFamily, extensions_are_found_on_macos_and_windows) {
  environment_.platform = Platform::macos;
  EXPECT_EQ(import_paths("roo-code")[4],
            "/home/ann/Library/Application Support/Code/User/globalStorage/"
            "rooveterinaryinc.roo-cline/settings/mcp_settings.json");
  environment_ = {.variables = {{"APPDATA", "D:\\Roaming"}},
                  .home = "C:\\Users\\ann",
                  .cwd = "C:\\code\\app",
                  .platform = Platform::windows};
  options_.config_file = "C:\\user.json";
  file(*options_.config_file, R"({"imports": ["roo-code"]})");
  EXPECT_EQ(import_paths("roo-code")[4],
            "D:\\Roaming\\Code\\User\\globalStorage\\rooveterinaryinc.roo-cline\\settings\\"
            "mcp_settings.json");
}

TEST_F(ConfigImportFamily, amazon_q_has_a_file_for_each_agent) {
  const std::string folder = "/home/ann/.aws/amazonq";
  file(folder + "/cli-agents/b.json", R"({"mcpServers": {"x": {"command": "b"}}})");
  file(folder + "/cli-agents/a.json", R"({"mcpServers": {"x": {"command": "a"}}})");
  file(folder + "/cli-agents/note.txt", "");
  file("/home/ann/code/app/.amazonq/cli-agents/p.json",
       R"({"mcpServers": {"p": {"command": "p"}}})");
  EXPECT_THAT(import_paths("amazon-q"),
              ElementsAre(folder + "/mcp.json",
                          folder + "/cli-agents/a.json",
                          folder + "/cli-agents/b.json",
                          folder + "/default.json",
                          "/home/ann/code/app/.amazonq/mcp.json",
                          "/home/ann/code/app/.amazonq/cli-agents/p.json",
                          "/home/ann/code/app/.amazonq/default.json"));
  EXPECT_EQ(server("x").command, "b");
  EXPECT_EQ(server("p").standing, Standing::project);
}

TEST_F(ConfigImportFamily, of_a_folder_with_many_agents_a_hundred_are_read) {
  for (int agent = 0; agent < 150; ++agent) {
    file("/home/ann/code/app/.amazonq/cli-agents/" + std::to_string(agent) + ".json", "{}");
  }
  EXPECT_EQ(import_paths("amazon-q").size(), 4 + 100);
}

TEST_F(ConfigImportFamily, windsurf_tools_that_it_does_not_ask_about_are_said) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json", R"({"mcpServers": {
      "a": {"command": "c", "alwaysAllow": ["t"]}, "b": {"command": "c", "alwaysAllow": ["u"]},
      "c": {"command": "c", "alwaysAllow": []}}})");
  EXPECT_THAT(warnings(),
              ElementsAre("/home/ann/.codeium/windsurf/mcp_config.json: \"alwaysAllow\" of server "
                          "\"a\" is not honoured; set \"approveTools\" for it in your own "
                          "file"));
}

TEST_F(ConfigImportFamily, cline_entries_of_its_command_line_and_of_older_versions) {
  import("cline");
  file("/home/ann/.cline/data/settings/cline_mcp_settings.json", R"({"mcpServers": {
      "new": {"transport": {"type": "streamableHttp", "url": "https://a.example",
                            "headers": {"K": "v"}},
              "disabled": false, "timeout": 90, "metadata": {"source": "x"},
              "oauth": {"tokens": {"access_token": "secret"}},
              "oauthClient": {"clientId": "i", "clientSecret": "s"}},
      "old": {"command": "c", "args": ["a"], "cwd": "/w", "env": {"A": "1"}, "disabled": true,
              "autoApprove": [], "timeout": 1.5},
      "sse": {"transportType": "sse", "url": "https://s.example", "remoteConfigured": true}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(
      server("new").entry_json,
      R"({"disabled":false,"type":"streamableHttp","url":"https://a.example",)"
      R"("headers":{"K":"v"},"requestTimeoutMs":90000,"oauth":{"clientId":"i","clientSecret":"s"}})");
  EXPECT_EQ(server("old").entry_json,
            R"({"command":"c","args":["a"],"cwd":"/w","env":{"A":"1"},"disabled":true,)"
            R"("requestTimeoutMs":1500})");
  EXPECT_EQ(server("sse").http_transport, HttpTransport::sse);
}

TEST_F(ConfigImportFamily, cline_files_of_older_extensions_count_below) {
  import("cline");
  const std::string old =
      "/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
  file("/home/ann/.config/Code" + old,
       R"({"mcpServers": {"x": {"command": "old"}, "y": {"command": "y"}}})");
  file("/home/ann/.cline/data/settings/cline_mcp_settings.json",
       R"({"mcpServers": {"x": {"command": "new"}}})");
  EXPECT_EQ(server("x").command, "new");
  EXPECT_EQ(server("y").command, "y");
}

TEST_F(ConfigImportFamily, roo_code_keys_are_translated_and_the_rest_is_said) {
  import("roo-code");
  const std::string path =
      "/home/ann/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/"
      "mcp_settings.json";
  file(path, R"({"mcpServers": {
      "x": {"command": "npx", "args": ["${workspaceFolder}"], "env": {"K": "${env:K}"},
            "alwaysAllow": ["*"], "disabledTools": ["d"], "timeout": 60, "disabled": false,
            "watchPaths": ["/w/build/index.js"]},
      "h": {"type": "streamable-http", "url": "https://a.example", "headers": {"K": "v"},
            "alwaysAllow": ["t"]}}})");
  EXPECT_EQ(server("x").entry_json,
            R"({"command":"npx","args":["/home/ann/code/app"],"env":{"K":"${env:K}"},)"
            R"("disabled":false,"requestTimeoutMs":60000,"approveTools":false,)"
            R"("excludeTools":["d"]})");
  EXPECT_THAT(warnings(),
              ElementsAre(path + ": \"watchPaths\" of server \"x\" is not honoured; reconnect the "
                                 "server when its files have changed",
                          HasSubstr("\"alwaysAllow\" of server \"h\" is not honoured")));
}

TEST_F(ConfigImportFamily, kiro_oauth_becomes_ours) {
  import("kiro");
  file("/home/ann/.kiro/settings/mcp.json", R"({"mcpServers": {
      "x": {"url": "https://a.example", "headers": {"A": "Bearer ${TOKEN}"}, "disabled": false,
            "oauth": {"clientId": "i", "redirectUri": "127.0.0.1:8080"},
            "oauthScopes": ["a", "b"], "disabledTools": ["d"], "timeout": 5000},
      "full": {"url": "https://b.example", "oauth": {"redirectUri": "http://localhost:1/cb"}}}})");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("x").entry_json,
            R"({"url":"https://a.example","headers":{"A":"Bearer ${TOKEN}"},"disabled":false,)"
            R"("requestTimeoutMs":5000,"excludeTools":["d"],)"
            R"("oauth":{"clientId":"i","callbackPort":8080,"scope":"a b"}})");
  EXPECT_THAT(server("full").entry_json, HasSubstr(R"("redirectUri":"http://localhost:1/cb")"));
}

TEST_F(ConfigImportFamily, amazon_q_times_and_file_references) {
  import("amazon-q");
  file("/home/ann/.aws/amazonq/mcp.json", R"({"mcpServers": {
      "x": {"command": "c", "env": {"K": "${file:/home/ann/k.txt}"}, "timeout": 120000,
            "initializationTimeout": 7000, "disabled": true}}})");
  file("/home/ann/k.txt", "secret\n");
  EXPECT_EQ(server("x").entry_json,
            R"({"command":"c","env":{"K":"secret"},"disabled":true,"requestTimeoutMs":120000,)"
            R"("startupTimeoutMs":7000})");
}

TEST_F(ConfigImportFamily, lm_studio_and_junie_write_what_we_read) {
  import("lm-studio");
  file("/home/ann/.lmstudio/mcp.json",
       R"({"mcpServers": {"x": {"url": "https://a.example", "headers": {"A": "Bearer t"}}}})");
  EXPECT_EQ(server("x").entry_json, R"({"url":"https://a.example","headers":{"A":"Bearer t"}})");
  import("junie");
  file("/home/ann/code/app/.junie/mcp/mcp.json",
       R"({"mcpServers": {"j": {"command": "c", "args": ["a"], "env": {"A": "1"}}}})");
  EXPECT_EQ(server("j").entry_json, R"({"command":"c","args":["a"],"env":{"A":"1"}})");
}

}  // namespace
}  // namespace pi_mcp::config
