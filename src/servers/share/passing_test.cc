#include "servers/share/passing.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::servers {
namespace {

using testing::ElementsAre;
using testing::Key;
using testing::Pair;

std::string as_it_is(const std::string& path) {
  return path;
}

TEST(PassingVariables, each_row_has_a_reason_and_is_there_once) {
  std::set<std::string> seen;
  for (const PassingVariable& row : passing_variables()) {
    EXPECT_FALSE(row.why.empty()) << row.name;
    EXPECT_TRUE(seen.insert(std::string(row.name) + " " + std::string(row.with)).second)
        << row.name;
  }
}

TEST(PassingVariables, what_may_be_an_account_stays) {
  const Variables all = {{"SSH_AUTH_SOCK", "/a"},
                         {"DISPLAY", ":0"},
                         {"WAYLAND_DISPLAY", "w"},
                         {"XAUTHORITY", "/x"},
                         {"DBUS_SESSION_BUS_ADDRESS", "unix:"},
                         {"WSL_INTEROP", "/run/WSL/1"},
                         {"npm_config_registry", "https://npm.corp.example"},
                         {"NPM_CONFIG_REGISTRY", "https://npm.corp.example"},
                         {"NODE_OPTIONS", "--max-old-space-size=1"},
                         {"GIT_ASKPASS", "/home/ann/bin/ask"},
                         {"BROWSER", "firefox"}};
  EXPECT_EQ(without_passing(all, as_it_is), all);
}

TEST(PassingVariables, some_describe_a_process_only_beside_another_one) {
  const Variables all = {{"NODE_OPTIONS", "--require /x/bootloader.js"},
                         {"VSCODE_INSPECTOR_OPTIONS", "{}"},
                         {"npm_config_registry", "https://npm.corp.example"},
                         {"npm_config_user_agent", "npm/11"},
                         {"npm_package_name", "app"},
                         {"npm_execpath", "/usr/lib/npm"}};
  EXPECT_THAT(without_passing(all, as_it_is),
              ElementsAre(Pair("npm_config_registry", "https://npm.corp.example")));
  EXPECT_THAT(without_passing({{"npm_config_cache", "/c"}, {"npm_token", "t"}}, as_it_is),
              ElementsAre(Key("npm_config_cache"), Key("npm_token")));
}

TEST(PassingVariables, the_desktop_is_the_one_that_there_is) {
  EXPECT_THAT(without_passing({{"XDG_CURRENT_DESKTOP", "Unity"},
                               {"ORIGINAL_XDG_CURRENT_DESKTOP", "ubuntu:GNOME"}},
                              as_it_is),
              ElementsAre(Pair("XDG_CURRENT_DESKTOP", "ubuntu:GNOME")));
}

TEST(LastingPath, is_without_folders_of_one_process) {
  EXPECT_EQ(lasting_path("/h/.codex/tmp/arg0/codex-arg0Ab:/usr/bin:/bin", {}, as_it_is),
            "/usr/bin:/bin");
  EXPECT_EQ(lasting_path("/usr/bin:/bin:/usr/bin", {}, as_it_is), "/usr/bin:/bin");
  EXPECT_EQ(lasting_path("/h/app/node_modules/.bin:/bin", {}, as_it_is),
            "/h/app/node_modules/.bin:/bin")
      << "the user has put it there";
  EXPECT_EQ(
      lasting_path(
          "/h/app/node_modules/.bin:/lib/node-gyp-bin:/bin", {{"npm_execpath", "/npm"}}, as_it_is),
      "/bin");
}

TEST(LastingPath, a_shell_of_fnm_stands_for_the_node_that_it_has_chosen) {
  const auto chosen = [](const std::string& path) {
    return path == "/run/user/1/fnm_multishells/7_1/bin" ? std::string("/fnm/v22/bin") : path;
  };
  EXPECT_EQ(lasting_path("/run/user/1/fnm_multishells/7_1/bin:/bin", {}, chosen),
            "/fnm/v22/bin:/bin");
}

TEST(ShortList, lacks_what_every_login_has) {
  EXPECT_TRUE(is_short_list({{"HOME", "/h"}, {"PATH", "/bin"}, {"LC_ALL", "C"}, {"TZ", "UTC"}}));
  EXPECT_TRUE(is_short_list({{"HOME", "/h"}, {"PI_MCP_DEPTH", "1"}}));
  EXPECT_FALSE(is_short_list({{"HOME", "/h"}, {"XDG_RUNTIME_DIR", "/run/user/1"}}));
}

}  // namespace
}  // namespace pi_mcp::servers
