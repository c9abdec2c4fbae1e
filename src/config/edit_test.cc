#include "config/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/machine_fixture.h"

namespace pi_mcp::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string text_of(const Result<std::string>& result) {
  return result ? *result : "error: " + result.error().message();
}

TEST(ConfigEdit, malformed_file_is_refused_with_line_and_column) {
  const std::string bad = "{\n  \"mcpServers\": {\"x\": }\n}";
  for (const Result<std::string>& result : {put_server(bad, "y", "{}"),
                                            remove_server(bad, "x"),
                                            add_import(bad, "codex"),
                                            set_server_key(bad, "x", "disabled", "true")}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), ErrorCode::invalid_argument);
    EXPECT_THAT(result.error().message(), HasSubstr("line 2, column 23"));
  }
}

TEST(ConfigEdit, an_entry_must_be_an_object_and_a_server_needs_a_name) {
  EXPECT_THAT(text_of(put_server("{}", "x", "[]")), HasSubstr("must be a JSON object"));
  EXPECT_THAT(text_of(put_server("{}", "x", "{")), HasSubstr("must be a JSON object: line 1"));
  EXPECT_THAT(text_of(put_server("{}", " ", "{}")), HasSubstr("needs a name"));
}

TEST(ConfigEdit, put_server_adds_or_replaces_one_entry) {
  const std::string with_x = text_of(put_server("", "x", R"({"command":"npx","args":["-y","p"]})"));
  EXPECT_EQ(with_x,
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"npx\",\n      \"args\": [\n"
            "        \"-y\",\n        \"p\"\n      ]\n    }\n  }\n}\n");
  EXPECT_EQ(text_of(put_server(with_x, "x", R"({"url":"u"})")),
            "{\n  \"mcpServers\": {\n    \"x\": {\n      \"url\": \"u\"\n    }\n  }\n}\n");
}

TEST(ConfigEdit, the_alias_is_used_where_the_file_uses_it) {
  EXPECT_EQ(text_of(put_server(R"({"mcp-servers": {"a": {}}})", "b", "{}")),
            R"({"mcp-servers": {"a": {}, "b": {}}})");
  EXPECT_EQ(text_of(remove_server("\xef\xbb\xbf{\"mcp-servers\": {\"a\": {}}}", "a")),
            "\xef\xbb\xbf{\"mcp-servers\": {}}");
}

TEST(ConfigEdit, remove_server_keeps_comments_and_other_servers) {
  EXPECT_EQ(text_of(remove_server("{\n  // mine\n  \"mcpServers\": {\n    \"x\": {\"command\": "
                                  "\"c\"}, // old\n    // keep\n    \"y\": {}\n  }\n}\n",
                                  "x")),
            "{\n  // mine\n  \"mcpServers\": {\n    // keep\n    \"y\": {}\n  }\n}\n");
  const Result<std::string> missing = remove_server("{}", "x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::not_found);
  EXPECT_EQ(missing.error().message(), "there is no server \"x\" in this file");
}

TEST(ConfigEdit, remove_import_leaves_the_others) {
  EXPECT_EQ(text_of(remove_import(R"({"imports": ["codex", "zed"], "a": 1})", "codex")),
            R"({"imports": ["zed"], "a": 1})");
  EXPECT_EQ(text_of(remove_import(R"({"imports": ["zed"]})", "codex")), R"({"imports": ["zed"]})");
  EXPECT_EQ(text_of(remove_import(R"({"imports": ["zed"]})", "zed")), "{}");
  EXPECT_EQ(text_of(remove_import("", "zed")), "");
}

TEST(ConfigEdit, add_import_adds_a_known_kind_once) {
  EXPECT_EQ(text_of(add_import("", "codex")), "{\n  \"imports\": [\n    \"codex\"\n  ]\n}\n");
  EXPECT_EQ(text_of(add_import(R"({"imports": ["codex"]})", "codex")), R"({"imports": ["codex"]})");
  EXPECT_EQ(text_of(add_import(R"({"imports": ["codex"]})", "cursor")),
            R"({"imports": ["codex", "cursor"]})");
  EXPECT_THAT(text_of(add_import("", "vim")),
              HasSubstr("unknown import \"vim\": choose from cursor"));
}

TEST(ConfigEdit, set_disabled_writes_one_key) {
  EXPECT_EQ(text_of(set_server_key(
                R"({"mcpServers": {"x": {"command": "c"}}})", "x", "disabled", "true")),
            R"({"mcpServers": {"x": {"command": "c", "disabled": true}}})");
  EXPECT_EQ(text_of(set_server_key(
                R"({"mcpServers": {"x": {"disabled": true}}})", "x", "disabled", "false")),
            R"({"mcpServers": {"x": {"disabled": false}}})");
  EXPECT_THAT(text_of(set_server_key("", "x", "disabled", "true")),
              HasSubstr("\"disabled\": true"));
}

class ConfigEditFiles : public MachineFixture {};

TEST_F(ConfigEditFiles, new_servers_go_to_the_user_or_the_project_file) {
  EXPECT_EQ(target_file(environment_, options_, Target::global), user_file);
  EXPECT_EQ(target_file(environment_, options_, Target::project), project_file);
  options_.config_file = "my.json";
  EXPECT_EQ(target_file(environment_, options_, Target::global), "/home/ann/code/app/my.json");
}

TEST_F(ConfigEditFiles, a_server_is_changed_where_its_transport_is_configured) {
  user(R"({"imports": ["cursor"], "mcpServers": {"x": {"command": "c"}}})");
  file(shared_project_file,
       R"({"mcpServers": {"x": {"disabled": true}, "i": {"disabled": true}}})");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"i": {"command": "c"}}})");
  EXPECT_EQ(definition(server("x")).path, user_file);
  EXPECT_EQ(changed_file(server("x"), environment_, options_), user_file);
  EXPECT_THAT(own_files(server("x")), ElementsAre(shared_project_file, user_file));
  EXPECT_EQ(definition(server("i")).import_kind, "cursor");
  EXPECT_EQ(changed_file(server("i"), environment_, options_), user_file);
  EXPECT_THAT(own_files(server("i")), ElementsAre(shared_project_file));
}

TEST_F(ConfigEditFiles, an_imported_server_is_disabled_by_one_key_in_the_user_file) {
  user(R"({"imports": ["cursor"]})");
  file("/home/ann/.cursor/mcp.json", R"({"mcpServers": {"i": {"command": "c"}}})");
  user(text_of(set_server_key(R"({"imports": ["cursor"]})", "i", "disabled", "true")));
  EXPECT_TRUE(server("i").disabled);
  EXPECT_EQ(server("i").command, "c");
}

TEST(ConfigEdit, a_key_is_taken_away_with_an_entry_that_had_nothing_else) {
  const std::string text = R"({"mcpServers": {"a": {"command": "c", "disabled": true}, // mine
                "b": {"disabled": true}}})";
  const std::string less = remove_server_key(text, "a", "disabled").value_or("");
  EXPECT_EQ(less.find(R"("command": "c")") != std::string::npos, true) << less;
  EXPECT_EQ(less.find("// mine") != std::string::npos, true) << less;
  EXPECT_EQ(less.find(R"("c", "disabled")"), std::string::npos) << less;
  const std::string none = remove_server_key(less, "b", "disabled").value_or("");
  EXPECT_EQ(none.find("\"b\""), std::string::npos) << none;
  EXPECT_EQ(remove_server_key(none, "b", "disabled").value_or(""), none);
}

}  // namespace
}  // namespace pi_mcp::config
