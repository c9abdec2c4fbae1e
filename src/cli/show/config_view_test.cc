#include "cli/show/config_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"

namespace pi_mcp::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

config::Settings settings() {
  config::Server server;
  server.name = "github";
  server.entry_json = R"({"command":"gh-mcp","env":{"TOKEN":"hunter2"},"cwd":"/srv"})";
  server.origin = {.path = "/home/u/p/.mcp.json", .import_kind = ""};
  server.origins = {{"command", {.path = "/home/u/.cursor/mcp.json", .import_kind = "cursor"}},
                    {"env", {.path = "/home/u/p/.mcp.json", .import_kind = ""}},
                    {"cwd", {.path = "/etc/x.json", .import_kind = ""}}};
  server.disabled = true;
  server.problem = "cwd does not exist";
  config::Settings settings;
  settings.servers.push_back(server);
  settings.warnings.push_back({.path = "/home/u/x.json", .message = "line 3: no"});
  return settings;
}

ConfigView view_of(const config::Settings& settings) {
  return {.settings = &settings,
          .servers = {&settings.servers.front()},
          .files = {{.file = {.path = "/home/u/x.json", .role = "user file"}, .exists = true}},
          .warnings = settings.warnings,
          .everything = true,
          .home = "/home/u"};
}

TEST(ConfigView, every_field_has_the_file_it_came_from_and_no_secret) {
  const config::Settings shown = settings();
  const std::string text = config_text(view_of(shown), Style());
  EXPECT_THAT(text, HasSubstr("github (disabled)\n"));
  EXPECT_THAT(text, HasSubstr("  command  gh-mcp "));
  EXPECT_THAT(text, HasSubstr("  ~/.cursor/mcp.json (import cursor)\n"));
  EXPECT_THAT(text, HasSubstr("  /etc/x.json\n"));
  EXPECT_THAT(text, HasSubstr("problem: cwd does not exist\n"));
  EXPECT_THAT(text, HasSubstr("Warnings\n  line 3: no\n"));
  EXPECT_THAT(text, Not(HasSubstr("hunter2")));
}

TEST(ConfigView, one_server_comes_without_files_and_with_the_warnings_given) {
  const config::Settings shown = settings();
  ConfigView view = view_of(shown);
  view.everything = false;
  EXPECT_THAT(config_text(view, Style()), testing::StartsWith("github (disabled)\n"));
  EXPECT_THAT(config_text(view, Style()), HasSubstr("Warnings\n  line 3: no\n"));
  EXPECT_THAT(config_text(view, Style()), Not(HasSubstr("user file")));
}

TEST(ConfigView, json_has_the_same) {
  const config::Settings shown = settings();
  const Result<json::Document> document = json::Document::parse(config_json(view_of(shown)));
  ASSERT_TRUE(document) << document.error().message();
  const json::Value server = document->root().find("servers").element(0);
  EXPECT_TRUE(server.at({"fields", "command", "value"}).equals("gh-mcp"));
  EXPECT_TRUE(server.at({"fields", "command", "import"}).equals("cursor"));
  EXPECT_EQ(server.find("disabled").as_bool(), true);
  EXPECT_TRUE(document->root().find("warnings").element(0).find("message").equals("line 3: no"));
  EXPECT_THAT(document->text(), Not(HasSubstr("hunter2")));
}

TEST(ConfigView, only_paths_inside_home_are_shortened) {
  EXPECT_EQ(short_path("/home/u/a", "/home/u"), "~/a");
  EXPECT_EQ(short_path("/home/user/a", "/home/u"), "/home/user/a");
  EXPECT_EQ(short_path("/a", "/"), "/a");
  EXPECT_EQ(short_path("", "/home/u"), "");
}

}  // namespace
}  // namespace pi_mcp::cli
