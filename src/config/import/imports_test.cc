#include "config/import/imports.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/import/hosts.h"
#include "json/document.h"
#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ConfigImport : public MachineFixture {
 protected:
  // Every import a user names.
  void import(const std::string& kind) { user(R"({"imports": [")" + kind + R"("]})"); }

  std::vector<std::string> import_paths() {
    std::vector<std::string> paths;
    for (const SourceFile& source : source_files(environment_, files_, options_)) {
      if (source.role.starts_with("import")) {
        paths.push_back(source.path);
      }
    }
    return paths;
  }

  void on_windows() {
    environment_.platform = Platform::windows;
    environment_.home = "C:\\Users\\ann";
    environment_.cwd = "C:\\code\\app";
    environment_.variables["APPDATA"] = "D:\\Roaming";
  }
  // The user file on the machine as it is now.
  void import_here(const std::string& kind) {
    options_.config_file = environment_.home + "/user.json";
    file(*options_.config_file, R"({"imports": [")" + kind + R"("]})");
  }
};

// ---- the table of hosts ----

TEST_F(ConfigImport, every_host_has_an_entry_for_us_or_says_what_helps_instead) {
  for (const Host& host : hosts()) {
    SCOPED_TRACE(host.kind);
    ASSERT_NE(host.user_files, nullptr);
    const std::vector<HostFile> files = host.user_files(environment_, files_);
    EXPECT_NE(host.entry.empty(), host.instead.empty());
    EXPECT_EQ(std::ranges::any_of(files, &HostFile::ours), !host.entry.empty());
    if (!host.entry.empty()) {
      EXPECT_TRUE(json::Document::parse(std::string(host.entry)));
      EXPECT_THAT(host.entry, HasSubstr(R"("pi-mcp")"));
    }
  }
}

TEST_F(ConfigImport, the_files_of_the_table_are_those_that_are_read) {
  for (const std::string& kind : import_kinds()) {
    SCOPED_TRACE(kind);
    import(kind);
    const std::vector<std::string> read = import_paths();
    for (const HostFile& one : find_host(kind)->user_files(environment_, files_)) {
      file(one.path, one.format == FileFormat::json ? "{}" : "");
    }
    for (const HostFile& one : find_host(kind)->user_files(environment_, files_)) {
      EXPECT_THAT(read, testing::Contains(one.path));
    }
  }
}

TEST_F(ConfigImport, opencode_has_our_entry_where_its_servers_are) {
  const auto ours = [this] {
    const std::vector<HostFile> found = find_host("opencode")->user_files(environment_, files_);
    return *std::ranges::find_if(found, &HostFile::ours);
  };
  EXPECT_EQ(ours().path, "/home/ann/.config/opencode/opencode.json");
  EXPECT_THAT(ours().members, ElementsAre(ElementsAre("mcp")));
  file("/home/ann/.config/opencode/opencode.jsonc", R"({"mcp": {"servers": {"a": {}}}})");
  EXPECT_EQ(ours().path, "/home/ann/.config/opencode/opencode.jsonc");
  EXPECT_THAT(ours().members, ElementsAre(ElementsAre("mcp", "servers")));
}

// ---- where each host keeps its files ----

TEST_F(ConfigImport, paths_on_linux) {
  import("cursor");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.cursor/mcp.json", "/home/ann/code/app/.cursor/mcp.json"));
  import("claude-code");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.claude/claude_desktop_config.json",
                          "/home/ann/.claude/mcp.json",
                          "/home/ann/.claude.json"));
  import("claude-desktop");
  EXPECT_THAT(import_paths(), ElementsAre("/home/ann/.config/Claude/claude_desktop_config.json"));
  import("vscode");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.config/VSCodium/User/settings.json",
                          "/home/ann/.config/VSCodium/User/mcp.json",
                          "/home/ann/.config/Code - Insiders/User/settings.json",
                          "/home/ann/.config/Code - Insiders/User/mcp.json",
                          "/home/ann/.config/Code/User/settings.json",
                          "/home/ann/.config/Code/User/mcp.json",
                          "/home/ann/code/app/.vscode/mcp.json"));
  import("windsurf");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.windsurf/mcp.json",
                          "/home/ann/.codeium/mcp_config.json",
                          "/home/ann/.codeium/windsurf/mcp_config.json"));
  import("codex");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.codex/config.json", "/home/ann/.codex/config.toml"));
  import("opencode");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/.config/opencode/config.json",
                          "/home/ann/.config/opencode/opencode.json",
                          "/home/ann/.config/opencode/opencode.jsonc"));
}

TEST_F(ConfigImport, paths_follow_the_variables_of_each_host) {
  environment_.variables = {{"XDG_CONFIG_HOME", "/cfg"},
                            {"CLAUDE_CONFIG_DIR", "~/cc"},
                            {"CODEX_HOME", "/codex"},
                            {"OPENCODE_CONFIG", "oc.json"}};
  import("claude-desktop");
  EXPECT_THAT(import_paths(), ElementsAre("/cfg/Claude/claude_desktop_config.json"));
  import("claude-code");
  EXPECT_EQ(import_paths().back(), "/home/ann/cc/.claude.json");
  import("codex");
  EXPECT_EQ(import_paths().back(), "/codex/config.toml");
  import("opencode");
  EXPECT_EQ(import_paths().front(), "/cfg/opencode/config.json");
  EXPECT_EQ(import_paths().back(), "/home/ann/code/app/oc.json");
}

TEST_F(ConfigImport, paths_on_macos) {
  environment_.platform = Platform::macos;
  import("claude-desktop");
  EXPECT_THAT(import_paths(),
              ElementsAre("/home/ann/Library/Application Support/Claude/"
                          "claude_desktop_config.json"));
  import("vscode");
  EXPECT_EQ(import_paths()[5], "/home/ann/Library/Application Support/Code/User/mcp.json");
}

TEST_F(ConfigImport, paths_on_windows) {
  on_windows();
  import_here("claude-desktop");
  EXPECT_THAT(import_paths(),
              ElementsAre("D:\\Roaming\\Claude\\claude_desktop_config.json",
                          "C:\\Users\\ann\\AppData\\Local\\Packages\\Claude_pzs8sxrjxfjjc\\"
                          "LocalCache\\Roaming\\Claude\\claude_desktop_config.json"));
  import_here("vscode");
  EXPECT_EQ(import_paths()[5], "D:\\Roaming\\Code\\User\\mcp.json");
  EXPECT_EQ(import_paths()[6], "C:\\code\\app\\.vscode\\mcp.json");
  import_here("windsurf");
  EXPECT_EQ(import_paths().back(), "C:\\Users\\ann\\.codeium\\windsurf\\mcp_config.json");
  environment_.variables.clear();
  import_here("claude-desktop");
  EXPECT_EQ(import_paths().front(),
            "C:\\Users\\ann\\AppData\\Roaming\\Claude\\claude_desktop_config.json");
}

// ---- Cursor, Windsurf ----

TEST_F(ConfigImport, cursor_project_file_replaces_the_global_entry) {
  import("cursor");
  file("/home/ann/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "g", "args": ["g"]}, "y": {"command": "y"}}})");
  file("/home/ann/code/app/.cursor/mcp.json", R"({"mcpServers": {"x": {"command": "p"}}})");
  EXPECT_EQ(server("x").entry_json, R"({"command":"p"})");
  EXPECT_EQ(server("x").origin.import_kind, "cursor");
  EXPECT_EQ(server("x").origin.path, "/home/ann/code/app/.cursor/mcp.json");
  EXPECT_EQ(server("y").command, "y");
}

TEST_F(ConfigImport, cursor_variables_auth_and_env_file) {
  import("cursor");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {
      "x": {"command": "${workspaceFolder}/bin/s", "args": ["${userHome}${/}a", "${env:TOKEN}",
            "${workspaceFolderBasename}"], "envFile": "${workspaceFolder}/.env",
            "env": {"B": "own"}},
      "o": {"url": "https://a.example", "auth": {"CLIENT_ID": "id", "CLIENT_SECRET": "se",
            "scopes": ["a", "b"]}}}})");
  file("/home/ann/code/app/.env",
       "# note\nexport A = \"1 2\\n\" # x\nB=file\n\nC='#'\nbad line\nD=d #c");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("x").entry_json,
            R"({"command":"/home/ann/code/app/bin/s","args":["/home/ann/a","${env:TOKEN}","app"],)"
            R"("env":{"A":"1 2\n","B":"own","C":"#","D":"d"}})");
  EXPECT_EQ(server("o").entry_json,
            R"({"url":"https://a.example","auth":"oauth",)"
            R"("oauth":{"clientId":"id","clientSecret":"se","scope":"a b"}})");
}

TEST_F(ConfigImport, missing_env_file_is_a_warning_that_names_server_and_path) {
  import("cursor");
  file("/home/ann/.cursor/mcp.json",
       R"({"mcpServers": {"x": {"command": "c", "envFile": "gone.env"}}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre("/home/ann/.cursor/mcp.json: server \"x\": the envFile "
                  "/home/ann/code/app/gone.env cannot be read; create it or remove the key"));
}

TEST_F(ConfigImport, windsurf_keys_are_translated) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json", R"({"mcpServers": {
      "x": {"serverUrl": "https://a.example", "disabledTools": ["d"],
            "headers": {"K": "${file:~/secret.txt}"}},
      "off": {"command": "c", "disabled": true}}})");
  file("/home/ann/secret.txt", " s3cret\n");
  EXPECT_EQ(server("x").entry_json,
            R"({"headers":{"K":"s3cret"},"url":"https://a.example","excludeTools":["d"]})");
  EXPECT_TRUE(server("off").disabled);
}

TEST_F(ConfigImport, a_file_reference_that_cannot_be_read_is_named) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json",
       R"({"mcpServers": {"x": {"command": "c", "env": {"K": "${file:gone.txt}"}}}})");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("the file /home/ann/.codeium/windsurf/gone.txt that it refers "
                                    "to cannot be read")));
}

TEST_F(ConfigImport, a_server_switched_off_in_its_host_never_hides_another_source) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json",
       R"({"mcpServers": {"x": {"command": "w", "disabled": true}}})");
  EXPECT_TRUE(server().disabled);
  project(R"({"mcpServers": {"x": {"command": "p"}}})");
  EXPECT_FALSE(server().disabled);
}

TEST_F(ConfigImport, a_server_switched_off_in_its_host_can_be_switched_on_here) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json",
       R"({"mcpServers": {"x": {"command": "w", "enabled": false}}})");
  EXPECT_TRUE(server().disabled);
  project(R"({"mcpServers": {"x": {"disabled": false}}})");
  EXPECT_TRUE(server().disabled) << "a project does not switch on what the user has off";
  user(R"({"imports": ["windsurf"], "mcpServers": {"x": {"disabled": false}}})");
  EXPECT_FALSE(server().disabled);
  EXPECT_EQ(server().command, "w");
  EXPECT_EQ(server().origins.at("command").import_kind, "windsurf");
}

TEST_F(ConfigImport, values_that_start_with_an_exclamation_mark_stay_literal) {
  import("windsurf");
  file("/home/ann/.codeium/windsurf/mcp_config.json", R"({"mcpServers": {
      "x": {"command": "!c", "env": {"A": "!rm -rf", "B": "b"}}}})");
  EXPECT_EQ(server().entry_json, R"({"command":"!c","env":{"A":"!!rm -rf","B":"b"}})");
}

// ---- Claude ----

TEST_F(ConfigImport, claude_code_reads_user_and_project_entries) {
  import("claude-code");
  file("/home/ann/.claude/mcp.json", R"({"mcpServers": {"old": {"command": "o"}}})");
  file("/home/ann/.claude.json", R"({"numStartups": 3,
      "mcpServers": {"u": {"type": "stdio", "command": "u", "args": [], "env": {}},
                     "x": {"type": "http", "url": "https://u.example", "timeout": 5000,
                           "headersHelper": "/bin/h",
                           "oauth": {"clientId": "i", "callbackPort": 1, "scopes": "a b"}},
                     "off": {"command": "c"}},
      "projects": {"/home/ann/code/app": {"mcpServers": {"p": {"command": "p"}},
                                          "disabledMcpServers": ["off"]},
                   "/elsewhere": {"mcpServers": {"no": {"command": "n"}}}}})");
  EXPECT_THAT(names(), ElementsAre("old", "u", "x", "p", "off"));
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("x").entry_json,
            R"({"type":"http","url":"https://u.example","headersHelper":"/bin/h",)"
            R"("oauth":{"clientId":"i","callbackPort":1,"scope":"a b"},"requestTimeoutMs":5000})");
  EXPECT_TRUE(server("off").disabled);
}

TEST_F(ConfigImport, claude_code_project_entries_are_found_on_windows) {
  on_windows();
  import_here("claude-code");
  file("C:\\Users\\ann\\.claude.json",
       R"({"projects": {"C:/code/app": {"mcpServers": {"p": {"command": "p"}}}}})");
  EXPECT_THAT(names(), ElementsAre("p"));
}

TEST_F(ConfigImport, claude_desktop_servers_appear) {
  import("claude-desktop");
  file("/home/ann/.config/Claude/claude_desktop_config.json",
       R"({"globalShortcut": "", "mcpServers": {"x": {"command": "c", "args": ["a"]}}})");
  EXPECT_EQ(server().entry_json, R"({"command":"c","args":["a"]})");
}

// ---- VS Code ----

TEST_F(ConfigImport, vscode_servers_of_user_and_workspace) {
  import("vscode");
  file(
      "/home/ann/.config/Code/User/mcp.json",
      R"({"servers": {"u": {"type": "http", "url": "https://u.example"}, "x": {"command": "u"}}})");
  file("/home/ann/code/app/.vscode/mcp.json", R"({
      // workspace
      "servers": {"x": {"type": "stdio", "command": "node", "args": ["${workspaceFolder}/s.js"],
        "env": {"E": "${env:E}"}},},})");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("u").url, "https://u.example");
  EXPECT_EQ(server("x").entry_json,
            R"({"type":"stdio","command":"node","args":["/home/ann/code/app/s.js"],)"
            R"("env":{"E":"${env:E}"}})");
}

TEST_F(ConfigImport, vscode_has_a_file_for_each_profile_and_older_servers_in_its_settings) {
  import("vscode");
  const std::string folder = "/home/ann/.config/Code/User/";
  file(folder + "settings.json", R"({"editor.fontSize": 12, "mcp": {
      "inputs": [{"id": "k", "type": "promptString", "default": "d"}],
      "servers": {"s": {"command": "${input:k}"}, "x": {"command": "settings"}}}})");
  file(folder + "profiles/-4ac2f/mcp.json",
       R"({"servers": {"p": {"command": "p"}, "x": {"command": "profile"}}})");
  file(folder + "profiles/-4ac2f/settings.json", "{}");
  file("/home/ann/.config/VSCodium/User/settings.json",
       R"({"mcp.servers": {"v": {"command": "v"}}})");
  EXPECT_THAT(names(), testing::UnorderedElementsAre("s", "p", "x", "v"));
  EXPECT_EQ(server("s").command, "${K:-d}");
  EXPECT_EQ(server("x").command, "profile");
  file(folder + "mcp.json", R"({"servers": {"x": {"command": "default profile"}}})");
  EXPECT_EQ(server("x").command, "default profile");
  EXPECT_EQ(server("v").origin.path, "/home/ann/.config/VSCodium/User/settings.json");
}

TEST_F(ConfigImport, vscode_keys_without_an_effect_here_are_said) {
  import("vscode");
  const std::string path = "/home/ann/.config/Code/User/mcp.json";
  file(path, R"({"servers": {
      "a": {"command": "c", "sandboxEnabled": true, "sandbox": {"network": {}},
            "dev": {"watch": "src/**"}},
      "b": {"command": "c", "sandboxEnabled": true},
      "off": {"command": "c", "sandboxEnabled": false, "sandbox": {}, "dev": {}},
      "g": {"type": "http", "url": "https://a.example", "gallery": true, "version": "1.0.0",
            "oauth": {"clientId": "i"}}}})");
  EXPECT_THAT(warnings(),
              ElementsAre(path + ": \"sandboxEnabled\" of server \"a\" is not honoured; pi-mcp "
                                 "starts servers with all your rights",
                          path + ": \"dev\" of server \"a\" is not honoured; reconnect the server "
                                 "when its files have changed"));
  EXPECT_EQ(server("g").entry_json,
            R"({"type":"http","url":"https://a.example","oauth":{"clientId":"i"}})");
}

TEST_F(ConfigImport, vscode_servers_behind_a_unix_socket_are_left_out_with_the_reason) {
  import("vscode");
  file("/home/ann/.config/Code/User/mcp.json", R"({"servers": {
      "s": {"type": "http", "url": "unix:///tmp/server.sock#/mcp/subpath"},
      "p": {"type": "http", "url": "pipe:///pipe/named-pipe"}, "c": {"command": "c"}}})");
  EXPECT_THAT(names(), ElementsAre("c"));
  std::vector<std::string> notes;
  for (const Warning& note : load().notes) {
    notes.push_back(note.message);
  }
  EXPECT_THAT(notes,
              ElementsAre(HasSubstr("server \"s\" speaks HTTP at a Unix socket or a named "
                                    "pipe, not at a port as pi-mcp needs it, and is left out"),
                          HasSubstr("server \"p\" speaks HTTP")));
}

TEST_F(ConfigImport, vscode_inputs_become_environment_variables) {
  import("vscode");
  file("/home/ann/code/app/.vscode/mcp.json", R"({
      "inputs": [{"id": "api-key", "type": "promptString", "description": "Key", "password": true},
                 {"id": "region", "type": "pickString", "default": "eu"}],
      "servers": {"x": {"url": "https://a.example/${input:region}",
                        "headers": {"A": "Bearer ${input:api-key}"}}}})");
  EXPECT_THAT(warnings(),
              ElementsAre("/home/ann/code/app/.vscode/mcp.json: server \"x\" needs the input "
                          "\"api-key\" (Key); set the environment variable API_KEY"));
  EXPECT_EQ(server().url, "https://a.example/${REGION:-eu}");
  EXPECT_EQ(server().headers.at("A"), "Bearer ${API_KEY}");
  environment_.variables["api_key"] = "k";
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server().headers.at("A"), "Bearer ${api_key}");
}

TEST_F(ConfigImport, vscode_variables_without_a_meaning_here_are_named) {
  import("vscode");
  file("/home/ann/code/app/.vscode/mcp.json",
       R"({"servers": {"x": {"command": "c", "args": ["${config:a.b}", "${config:a.b}"]}}})");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("server \"x\" ${config:a.b} has no meaning outside VS Code")));
}

TEST_F(ConfigImport, vscode_file_with_the_keys_of_the_reference_adapter_still_counts) {
  import("vscode");
  file("/home/ann/code/app/.vscode/mcp.json", R"({"mcpServers": {"x": {"command": "c"}}})");
  EXPECT_EQ(server().command, "c");
}

// ---- Codex ----

TEST_F(ConfigImport, codex_toml_keys_are_translated) {
  import("codex");
  file("/home/ann/.codex/config.toml", R"(
model = "o"
[mcp_servers.x]
command = "npx"
args = ["-y", "pkg"]
env = { "A" = "1" }
env_vars = ["HOME", { name = "X", source = "remote" }]
cwd = "/w"
enabled_tools = ["a"]
disabled_tools = ["b"]
startup_timeout_sec = 2.5
tool_timeout_sec = 60
[mcp_servers.x.tools.a]
approval_mode = "prompt"

[mcp_servers.h]
url = "https://a.example"
bearer_token_env_var = "TOK"
http_headers = { "A" = "1" }
env_http_headers = { "A" = "NO", "B" = "BV" }
scopes = ["s", "t"]
startup_timeout_ms = 7

[mcp_servers.off]
command = "c"
enabled = false

[mcp_servers.none]
command = "c"
enabled = true
enabled_tools = []
)");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("x").entry_json,
            R"({"args":["-y","pkg"],"command":"npx","cwd":"/w","env":{"A":"1"},)"
            R"("tools":{"a":{"approval_mode":"prompt"}},"requestTimeoutMs":60000,)"
            R"("startupTimeoutMs":2500,"includeTools":["a"],"excludeTools":["b"],)"
            R"("approveTools":["a"]})");
  EXPECT_EQ(server("h").entry_json,
            R"({"url":"https://a.example","startupTimeoutMs":7,)"
            R"("headers":{"A":"1","B":"$env:BV"},"bearerTokenEnv":"TOK","auth":"bearer",)"
            R"("oauth":{"scope":"s t"}})");
  EXPECT_EQ(server("h").startup_timeout, Milliseconds(7));
  EXPECT_TRUE(server("off").disabled);
  EXPECT_EQ(server("none").entry_json, R"({"command":"c","excludeTools":["*"]})");
}

TEST_F(ConfigImport, codex_reads_no_project_file_that_its_user_does_not_trust) {
  import("codex");
  file("/home/ann/code/app/.codex/config.toml", "[mcp_servers.p]\ncommand = \"p\"\n");
  file("/home/ann/.codex/config.toml",
       "[projects.\"/home/ann/code/app\"]\ntrust_level = \"untrusted\"\n");
  EXPECT_THAT(names(), testing::IsEmpty());
  file("/home/ann/.codex/config.toml",
       "[projects.\"/home/ann/code/app\"]\ntrust_level = \"trusted\"\n");
  EXPECT_THAT(names(), ElementsAre("p"));
}

TEST_F(ConfigImport, codex_malformed_toml_names_line_and_column) {
  import("codex");
  file("/home/ann/.codex/config.toml", "a = 1\n[mcp_servers.x]\ncommand = npx\n");
  EXPECT_THAT(warnings(),
              ElementsAre(HasSubstr("/home/ann/.codex/config.toml: line 3, column 12: ")));
}

TEST_F(ConfigImport, codex_old_json_file_counts_below_the_toml_file) {
  import("codex");
  file("/home/ann/.codex/config.json",
       R"({"mcpServers": {"x": {"command": "json"}, "y": {"command": "y"}}})");
  file("/home/ann/.codex/config.toml", "[mcp_servers.x]\ncommand = \"toml\"\n");
  EXPECT_EQ(server("x").command, "toml");
  EXPECT_EQ(server("y").command, "y");
}

// ---- opencode ----

TEST_F(ConfigImport, opencode_local_and_remote_servers_are_translated) {
  import("opencode");
  file("/home/ann/.config/opencode/opencode.json", R"({"mcp": {
      "x": {"type": "local", "command": ["npx", "-y", "p"], "environment": {"A": "{env:A}",
            "F": "{file:./f.txt}"}, "cwd": "/w", "timeout": 7000, "enabled": true},
      "h": {"type": "remote", "url": "https://a.example", "headers": {"K": "{env:K}"},
            "oauth": {"clientId": "i"}},
      "off": {"type": "local", "command": ["c"], "enabled": false}}})");
  file("/home/ann/.config/opencode/f.txt", "text\n");
  EXPECT_THAT(warnings(), IsEmpty());
  EXPECT_EQ(server("x").entry_json,
            R"({"type":"local","command":"npx","cwd":"/w","args":["-y","p"],)"
            R"("startupTimeoutMs":7000,"env":{"A":"{env:A}","F":"text"}})");
  EXPECT_EQ(server("h").entry_json,
            R"({"type":"remote","url":"https://a.example","headers":{"K":"{env:K}"},)"
            R"("oauth":{"clientId":"i"}})");
  EXPECT_TRUE(server("off").disabled);
}

TEST_F(ConfigImport, opencode_version_two_keeps_servers_one_level_deeper) {
  import("opencode");
  file("/home/ann/.config/opencode/opencode.jsonc", R"({"mcp": {"servers": {
      "x": {"type": "local", "command": ["c"], "timeout": {"startup": 1, "request": 2}},
      "o": {"type": "remote", "url": "u", "oauth": {"client_id": "i", "client_secret": "s"}},
      "off": {"type": "local", "command": ["c"], "disabled": true}}}})");
  EXPECT_EQ(server("x").startup_timeout, Milliseconds(1));
  EXPECT_EQ(server("x").request_timeout, Milliseconds(2));
  EXPECT_THAT(server("o").entry_json, HasSubstr(R"("oauth":{"clientId":"i","clientSecret":"s"})"));
  EXPECT_TRUE(server("off").disabled);
}

TEST_F(ConfigImport, opencode_project_file_merges_over_the_user_file) {
  import("opencode");
  environment_.cwd = "/home/ann/code/app/sub";
  files_.add_directory("/home/ann/code/app/.git");
  file("/home/ann/code/opencode.json", R"({"mcp": {"outside": {"command": ["c"]}}})");
  file("/home/ann/.config/opencode/opencode.json", R"({"mcp": {
      "x": {"type": "local", "command": ["a"], "environment": {"S": "1"}, "cwd": "/w"},
      "u": {"type": "remote", "url": "https://a.example", "headers": {"K": "s"}},
      "t": {"type": "local", "command": ["a"], "environment": {"S": "1"}}}})");
  file("/home/ann/code/app/opencode.json", R"({"mcp": {
      "x": {"enabled": true, "command": ["b"]},
      "u": {"url": "https://b.example"},
      "t": {"type": "remote", "url": "https://c.example"}}})");
  EXPECT_EQ(server("x").entry_json, R"({"command":"b","args":[]})");
  EXPECT_EQ(server("u").entry_json, R"({"url":"https://b.example"})");
  EXPECT_EQ(server("t").entry_json, R"({"type":"remote","url":"https://c.example"})");
  EXPECT_EQ(server("x").origin.path, "/home/ann/code/app/opencode.json");
  EXPECT_THAT(names(), ElementsAre("x", "u", "t"));
}

TEST_F(ConfigImport, in_the_home_directory_the_users_file_is_no_file_of_a_project) {
  options_.trust.everything = false;
  environment_.cwd = environment_.home;
  import("cursor");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"x": {"command": "c"}}})");
  EXPECT_EQ(server().standing, Standing::user);
  EXPECT_THAT(load().trust_requests, IsEmpty());
}

TEST_F(ConfigImport, opencode_tools_that_are_switched_off_there) {
  import("opencode");
  file("/home/ann/.config/opencode/config.json", R"({"tools": {"x_b": false, "z*": false}})");
  file("/home/ann/.config/opencode/opencode.json",
       R"({"tools": {"x_a*": false, "x_b": true, "bash": false},
           "mcp": {"x": {"command": ["a"]}, "y": {"command": ["b"]}, "z": {"command": ["c"]}}})");
  file("/home/ann/code/app/opencode.json", R"({"tools": {"y_*": false}})");
  EXPECT_EQ(server().exclude_tools, std::vector<std::string>({"a*"}));
  EXPECT_THAT(server("y").exclude_tools, IsEmpty());
  EXPECT_EQ(server("z").exclude_tools, std::vector<std::string>({"*"}));
}

TEST_F(ConfigImport, opencode_empty_command_is_a_problem_of_the_server) {
  import("opencode");
  file("/home/ann/.config/opencode/opencode.json",
       R"({"mcp": {"x": {"type": "local", "command": []}}})");
  EXPECT_THAT(server().problem.value_or(""), HasSubstr("\"command\" is empty"));
}

TEST_F(ConfigImport, malformed_entry_names_the_file_of_the_host) {
  import("cursor");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"x": 1, "y": {"command": 2}}})");
  EXPECT_THAT(
      warnings(),
      ElementsAre("/home/ann/.cursor/mcp.json: server \"x\" must be an object, found a number; "
                  "the entry is left out",
                  HasSubstr("server \"y\": \"command\" must be a string, found a number")));
}

}  // namespace
}  // namespace pi_mcp::config
