#include "setup/plan.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/edit.h"
#include "config/raw.h"
#include "json/document.h"
#include "setup/record.h"
#include "setup/undo.h"
#include "support/memory_files.h"

namespace pi_mcp::setup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SetupPlan : public testing::Test {
 protected:
  static constexpr const char* cursor = "/home/ann/.cursor/mcp.json";
  static constexpr const char* windsurf = "/home/ann/.codeium/windsurf/mcp_config.json";
  static constexpr const char* claude = "/home/ann/.claude.json";
  static constexpr const char* codex = "/home/ann/.codex/config.toml";
  static constexpr const char* gemini = "/home/ann/.gemini/settings.json";
  static constexpr const char* user_file = "/home/ann/.pi/agent/mcp.json";

  SetupPlan() {
    options_.program = "/usr/bin/pi-mcp";
    options_.user_file = user_file;
  }

  Plan plan() {
    Result<Plan> made = make_plan(environment_, files_, options_);
    EXPECT_TRUE(made) << (made ? "" : made.error().message());
    return made ? *std::move(made) : Plan();
  }
  static const FileChange* change(const Plan& plan, const std::string& path) {
    const auto found = std::ranges::find(plan.changes, path, &FileChange::path);
    return found == plan.changes.end() ? nullptr : &*found;
  }
  static std::string after(const Plan& plan, const std::string& path) {
    const FileChange* const found = change(plan, path);
    return found == nullptr ? "unchanged" : found->after;
  }
  static PlannedEntry entry(const Plan& plan, std::string_view kind, std::string_view name) {
    for (const PlannedHost& host : plan.hosts) {
      for (const PlannedFile& file : host.files) {
        for (const PlannedEntry& one : file.entries) {
          if (host.host->kind == kind && one.name == name) {
            return one;
          }
        }
      }
    }
    ADD_FAILURE() << "no " << name;
    return {};
  }

  config::MemoryFiles files_;
  config::Environment environment_{.variables = {}, .home = "/home/ann", .cwd = "/home/ann/app"};
  PlanOptions options_;
};

TEST_F(SetupPlan, a_machine_without_hosts_has_no_changes_and_says_what_was_looked_for) {
  const Plan found = plan();
  EXPECT_THAT(found.hosts, IsEmpty());
  EXPECT_THAT(found.changes, IsEmpty());
  EXPECT_THAT(found.looked_for, testing::IsSupersetOf({"Cursor", "Codex", "Claude Code"}));
}

TEST_F(SetupPlan, pi_is_there_when_something_of_its_own_is_and_our_file_is_none) {
  const auto has_pi = [this] {
    const Plan found = plan();
    return std::ranges::any_of(found.hosts,
                               [](const PlannedHost& host) { return host.host->kind == "pi"; });
  };
  files_.add(user_file, R"({"mcpServers": {"files": {"command": "ls"}}})");
  EXPECT_FALSE(has_pi());
  environment_.variables["PATH"] = "/usr/bin:/opt/bin";
  const config::MemoryFiles without = files_;
  for (const std::string of_pi : {"/home/ann/.pi/agent/settings.json",
                                  "/home/ann/.pi/agent/auth.json",
                                  "/home/ann/.pi/agent/models.json",
                                  "/home/ann/.pi/agent/sessions/one.jsonl",
                                  "/home/ann/.pi/agent/extensions/one.ts",
                                  "/opt/bin/pi"}) {
    files_.add(of_pi, "");
    EXPECT_TRUE(has_pi()) << of_pi;
    files_ = without;
  }
  environment_.variables["PI_CODING_AGENT_DIR"] = "/home/ann/other";
  files_.add("/home/ann/other/settings.json", "{}");
  EXPECT_TRUE(has_pi());
  EXPECT_THAT(plan().hosts.front().problem, HasSubstr("pi install npm:pi-mcp"));
}

TEST_F(SetupPlan, pi_that_has_the_extension_is_not_told_to_install_it) {
  const auto problem_with = [this](const std::string& packages) {
    files_.add("/home/ann/.pi/agent/settings.json", "{\"packages\": [" + packages + "]}");
    return plan().hosts.front().problem;
  };
  files_.add("/home/ann/src/ours/package.json", R"({"name": "pi-mcp"})");
  files_.add("/home/ann/src/other/package.json", R"({"name": "other"})");
  for (const char* const ours : {R"("npm:pi-mcp")",
                                 R"("npm:pi-mcp@1.0.0")",
                                 R"("npm:x", {"source": "npm:pi-mcp@file:/x.tgz"})",
                                 R"("/home/ann/src/ours")"}) {
    EXPECT_EQ(problem_with(ours), "pi-mcp is there already, as an extension") << ours;
  }
  for (const char* const none : {"", R"("npm:pi-mcp-adapter")", R"("/home/ann/src/other")", "7"}) {
    EXPECT_THAT(problem_with(none), HasSubstr("pi install npm:pi-mcp")) << none;
  }
}

TEST_F(SetupPlan, an_entry_moves_and_ours_takes_its_place) {
  files_.add(cursor, R"({
  // mine
  "mcpServers": {
    "github": {"command": "gh-mcp", "env": {"TOKEN": "s3cret"}}
  }
})");
  const Plan found = plan();
  ASSERT_EQ(found.changes.size(), 2U);
  EXPECT_EQ(found.changes[0].path, user_file);
  EXPECT_TRUE(found.changes[0].is_users);
  EXPECT_EQ(found.changes[0].before, std::nullopt);
  EXPECT_THAT(found.changes[0].after, HasSubstr(R"("TOKEN": "s3cret")"));
  EXPECT_THAT(after(found, cursor), HasSubstr("// mine"));
  EXPECT_THAT(after(found, cursor), HasSubstr("/usr/bin/pi-mcp"));
  EXPECT_THAT(after(found, cursor), Not(HasSubstr("gh-mcp")));
}

TEST_F(SetupPlan, a_host_that_hands_on_few_variables_hands_on_what_moved_servers_use) {
  environment_.variables = {{"GH_TOKEN", "x"}};
  files_.add(cursor, R"({"mcpServers": {
    "github": {"command": "gh-mcp", "env": {"TOKEN": "${env:GH_TOKEN}", "U": "${env:UNSET}"}}
  }})");
  files_.add(codex, "[mcp_servers.docs]\ncommand = \"docs-mcp\"\nenv_vars = [\"DOCS\"]\n");
  files_.add(gemini, R"({"mcpServers": {}})");
  const Plan found = plan();
  EXPECT_THAT(after(found, codex), HasSubstr(R"(env_vars = ["DOCS", "GH_TOKEN", "UNSET"])"));
  const json::Document settings = config::parse_trusted(after(found, gemini));
  EXPECT_EQ(settings.root().at({"mcpServers", "pi-mcp", "env"}).raw(),
            R"({"GH_TOKEN":"$GH_TOKEN"})");
}

TEST_F(SetupPlan, a_list_of_the_servers_that_may_run_gets_our_name_and_loses_it_again) {
  const std::string before =
      R"({"mcp": {"allowed": ["gh*"]}, "mcpServers": {"gh": {"command": "a"}}})";
  files_.add(gemini, before);
  const Plan found = plan();
  EXPECT_THAT(after(found, gemini), HasSubstr(R"(["gh*", "pi-mcp"])"));
  ASSERT_NE(change(found, gemini), nullptr);
  const Undone undone = undo_file(recorded(*change(found, gemini), ""), after(found, gemini), {});
  EXPECT_THAT(undone.text, testing::Optional(HasSubstr(R"("allowed": ["gh*"])")));
}

TEST_F(SetupPlan, a_list_of_the_servers_that_may_run_that_allows_all_stays) {
  files_.add(gemini, R"({"mcp": {"allowed": ["*"]}})");
  EXPECT_THAT(after(plan(), gemini), HasSubstr(R"("allowed": ["*"])"));
}

TEST_F(SetupPlan, servers_of_all_users_of_the_machine_stay_and_do_not_leave_the_host_out) {
  const std::string of_all = "/etc/gemini-cli/settings.json";
  files_.add(of_all, R"({"mcpServers": {"firm": {"command": "firm-mcp"}}})");
  files_.add(gemini, R"({"mcpServers": {"mine": {"command": "my-mcp"}}})");
  options_.refusal = [&of_all](const std::string& path) {
    return path == of_all ? "is read-only" : "";
  };
  const Plan found = plan();
  EXPECT_EQ(entry(found, "gemini-cli", "firm").fate, Fate::stays);
  EXPECT_THAT(entry(found, "gemini-cli", "firm").reason, HasSubstr("all users"));
  EXPECT_EQ(entry(found, "gemini-cli", "mine").fate, Fate::moves);
  EXPECT_EQ(after(found, of_all), "unchanged");
}

TEST_F(SetupPlan, copies_leave_the_hosts_entries_there) {
  files_.add(cursor, R"({"mcpServers": {"github": {"command": "gh-mcp"}}})");
  options_.copy = true;
  const Plan found = plan();
  EXPECT_THAT(after(found, user_file), HasSubstr("gh-mcp"));
  EXPECT_THAT(after(found, cursor), HasSubstr("gh-mcp"));
  EXPECT_THAT(after(found, cursor), HasSubstr("/usr/bin/pi-mcp"));
}

TEST_F(SetupPlan, a_host_whose_folder_is_there_gets_our_entry_in_a_new_file) {
  files_.add_directory("/home/ann/.cursor");
  const Plan found = plan();
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].path, cursor);
  EXPECT_EQ(found.changes[0].before, std::nullopt);
}

TEST_F(SetupPlan, the_same_entry_in_two_hosts_is_one_server) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x", "args": ["a"]}}})");
  files_.add(windsurf,
             R"({"mcpServers": {"hub": {"args": ["a"], "type": "stdio", "command": "x"}}})");
  const Plan found = plan();
  EXPECT_EQ(entry(found, "windsurf", "hub").fate, Fate::joins);
  EXPECT_EQ(entry(found, "windsurf", "hub").new_name, "gh");
  EXPECT_THAT(after(found, user_file), Not(HasSubstr("hub")));
  EXPECT_THAT(after(found, windsurf), Not(HasSubstr("hub")));
}

TEST_F(SetupPlan, the_same_name_with_another_content_keeps_both) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x"}}})");
  files_.add(windsurf, R"({"mcpServers": {"gh": {"command": "y"}}})");
  const Plan found = plan();
  EXPECT_EQ(entry(found, "cursor", "gh").new_name, "gh");
  EXPECT_EQ(entry(found, "windsurf", "gh").new_name, "gh-windsurf");
  EXPECT_THAT(entry(found, "windsurf", "gh").reason, HasSubstr("called gh"));
  EXPECT_THAT(after(found, user_file), HasSubstr("gh-windsurf"));
}

TEST_F(SetupPlan, what_the_users_file_has_already_is_not_put_there_twice) {
  files_.add(user_file, R"({"mcpServers": {"gh": {"command": "x"}, "b": {"command": "old"}}})");
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x"}, "b": {"command": "new"}}})");
  const Plan found = plan();
  EXPECT_EQ(entry(found, "cursor", "gh").fate, Fate::joins);
  EXPECT_EQ(entry(found, "cursor", "b").new_name, "b-cursor");
  EXPECT_THAT(after(found, user_file), HasSubstr("old"));
}

TEST_F(SetupPlan, choices_about_an_imported_server_go_on_to_apply) {
  files_.add(user_file, R"({"imports": ["cursor"], "mcpServers": {"gh": {"disabled": true}}})");
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x"}}})");
  const std::string text = plan().changes.at(0).after;
  EXPECT_THAT(text, HasSubstr(R"("gh": {"command":"x","disabled":true})"));
}

TEST_F(SetupPlan, disabled_entries_stay_disabled) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x", "disabled": true}}})");
  const Plan found = plan();
  EXPECT_TRUE(entry(found, "cursor", "gh").disabled);
  EXPECT_THAT(after(found, user_file), HasSubstr("disabled"));
}

TEST_F(SetupPlan, a_server_that_one_host_uses_is_on) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "x", "disabled": true}}})");
  files_.add(windsurf, R"({"mcpServers": {"gh": {"command": "x"}}})");
  EXPECT_THAT(after(plan(), user_file), Not(HasSubstr("disabled")));
}

TEST_F(SetupPlan, entries_of_one_folder_are_shown_and_stay) {
  files_.add(claude, R"({"projects": {"/code": {"mcpServers": {"db": {"command": "x"}}}}})");
  files_.add("/home/ann/app/.cursor/mcp.json", R"({"mcpServers": {"p": {"command": "x"}}})");
  files_.add_directory("/home/ann/.cursor");
  const Plan found = plan();
  std::vector<std::string> folders;
  for (const PlannedHost& host : found.hosts) {
    for (const ProjectEntries& project : host.projects) {
      folders.push_back(project.folder + ":" + project.names.at(0));
    }
  }
  EXPECT_THAT(folders, ElementsAre("/home/ann/app:p", "/code:db"));
  EXPECT_EQ(change(found, user_file), nullptr);
}

TEST_F(SetupPlan, an_entry_that_depends_on_the_folder_stays) {
  files_.add(cursor, R"({"mcpServers": {"fs": {"command": "x", "args": ["${workspaceFolder}"]}}})");
  const Plan found = plan();
  EXPECT_EQ(entry(found, "cursor", "fs").fate, Fate::stays);
  EXPECT_THAT(after(found, cursor), HasSubstr("${workspaceFolder}"));
}

TEST_F(SetupPlan, an_entry_that_takes_the_folders_name_or_a_file_of_it_stays) {
  files_.add(cursor, R"({"mcpServers": {
      "name": {"command": "x", "args": ["${workspaceFolderBasename}"]},
      "file": {"command": "x", "envFile": ".env"},
      "home": {"command": "x", "envFile": "${userHome}/.env"}}})");
  const Plan found = plan();
  EXPECT_EQ(entry(found, "cursor", "name").fate, Fate::stays);
  EXPECT_EQ(entry(found, "cursor", "file").fate, Fate::stays);
  EXPECT_EQ(entry(found, "cursor", "home").fate, Fate::moves);
}

TEST_F(SetupPlan, what_is_said_of_one_server_is_not_said_of_another_that_it_names) {
  files_.add(cursor, R"({"mcpServers": {
      "env": {"command": "x"}, "a": {"command": "x", "envFile": "~/\"env\""}}})");
  const Plan found = plan();
  EXPECT_THAT(entry(found, "cursor", "env").notes, IsEmpty());
  EXPECT_THAT(entry(found, "cursor", "a").notes, ElementsAre(HasSubstr("cannot be read")));
}

TEST_F(SetupPlan, our_own_entry_is_seen_and_left) {
  files_.add(cursor,
             R"({"mcpServers": {"mcp": {"command": "npx", "args": ["-y", "pi-mcp", "serve"]}}})");
  const Plan found = plan();
  ASSERT_EQ(found.hosts.size(), 1U);
  EXPECT_EQ(found.hosts[0].files.at(0).ours, Ours::there);
  EXPECT_EQ(found.hosts[0].files.at(0).our_command, "npx -y pi-mcp serve");
  EXPECT_THAT(found.changes, IsEmpty());
}

TEST_F(SetupPlan, a_broken_file_leaves_its_host_out_and_the_others_go_on) {
  files_.add(cursor, "{oops");
  files_.add(windsurf, R"({"mcpServers": {"gh": {"command": "y"}}})");
  const Plan found = plan();
  EXPECT_THAT(found.hosts.at(0).problem, HasSubstr(cursor));
  EXPECT_EQ(change(found, cursor), nullptr);
  EXPECT_NE(change(found, windsurf), nullptr);
}

TEST_F(SetupPlan, a_file_that_may_not_be_written_leaves_its_host_out) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "y"}}})");
  options_.refusal = [](const std::string&) {
    return "is read-only";
  };
  const Plan found = plan();
  EXPECT_THAT(found.hosts.at(0).problem, HasSubstr("mcp.json is read-only"));
  EXPECT_THAT(found.changes, IsEmpty());
}

TEST_F(SetupPlan, another_server_called_pi_mcp_is_not_overwritten) {
  files_.add(cursor, R"({"mcpServers": {"pi-mcp": {"command": "y"}}})");
  const Plan found = plan();
  EXPECT_THAT(found.hosts.at(0).problem, HasSubstr("rename it"));
  EXPECT_THAT(found.changes, IsEmpty());
}

TEST_F(SetupPlan, only_the_hosts_that_are_named) {
  files_.add(cursor, R"({"mcpServers": {"gh": {"command": "y"}}})");
  files_.add_directory("/home/ann/.claude");
  options_.hosts = {"claude-code"};
  const Plan found = plan();
  ASSERT_EQ(found.changes.size(), 1U);
  EXPECT_EQ(found.changes[0].path, claude);
  EXPECT_THAT(found.changes[0].after, HasSubstr("alwaysLoad"));
  options_.hosts = {"emacs"};
  EXPECT_FALSE(make_plan(environment_, files_, options_));
}

// ---- undoing ----

class SetupUndo : public SetupPlan {
 protected:
  // The record as it is read back.
  static RecordedFile record_of(const FileChange& change) {
    Record record;
    record.files.push_back(recorded(change, ""));
    const Result<Record> read = parse_record(record_text(record));
    EXPECT_TRUE(read);
    return read->files.at(0);
  }
  FileChange cursor_change() {
    files_.add(cursor, text_);
    return *change(plan(), cursor);
  }
  const std::string text_ =
      "{\n  // mine\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\"},  // first\n"
      "    \"b\": {\"command\": \"y\"}\n  },\n  \"theme\": 1\n}\n";
};

TEST_F(SetupUndo, an_untouched_file_is_as_it_was_without_its_copy_too) {
  const FileChange made = cursor_change();
  const RecordedFile file = record_of(made);
  const Undone undone = undo_file(file, made.after, std::nullopt);
  EXPECT_EQ(undone.text, text_);
  EXPECT_TRUE(undone.whole);
  EXPECT_EQ(undo_file(file, made.after, text_).text, text_);
}

TEST_F(SetupUndo, a_file_that_was_never_written_is_left) {
  const FileChange made = cursor_change();
  const Undone undone = undo_file(record_of(made), text_, text_);
  EXPECT_EQ(undone.text, text_);
  EXPECT_THAT(undone.restored, IsEmpty());
}

TEST_F(SetupUndo, a_file_that_setup_made_goes) {
  files_.add_directory("/home/ann/.cursor");
  const FileChange made = plan().changes.at(0);
  EXPECT_EQ(undo_file(record_of(made), made.after, std::nullopt).text, std::nullopt);
}

TEST_F(SetupUndo, what_somebody_else_changed_stays) {
  const FileChange made = cursor_change();
  std::string now = config::put_server(made.after, "new", R"({"command": "z"})").value();
  now.replace(now.find("\"theme\": 1"), 10, "\"theme\": 2");
  const Undone undone = undo_file(record_of(made), now, text_);
  EXPECT_THAT(*undone.text, HasSubstr("\"theme\": 2"));
  EXPECT_THAT(*undone.text, HasSubstr("\"new\""));
  EXPECT_THAT(*undone.text, HasSubstr("\"a\": {\"command\": \"x\"},  // first"));
  EXPECT_THAT(*undone.text, Not(HasSubstr("pi-mcp")));
  EXPECT_THAT(undone.restored, testing::UnorderedElementsAre("a", "b"));
  EXPECT_THAT(undone.removed, ElementsAre("pi-mcp"));
  EXPECT_THAT(undone.kept, IsEmpty());
}

TEST_F(SetupUndo, our_entry_goes_also_when_its_host_has_added_to_it) {
  const FileChange made = cursor_change();
  const std::string now =
      config::set_server_key(made.after, "pi-mcp", "autoApprove", R"(["mcp"])").value();
  EXPECT_THAT(*undo_file(record_of(made), now, text_).text, Not(HasSubstr("pi-mcp")));
}

TEST_F(SetupUndo, an_entry_that_is_there_again_is_not_overwritten) {
  const FileChange made = cursor_change();
  const std::string now = config::put_server(made.after, "a", R"({"command": "mine"})").value();
  const Undone undone = undo_file(record_of(made), now, text_);
  EXPECT_THAT(*undone.text, HasSubstr("mine"));
  EXPECT_THAT(undone.kept, ElementsAre(HasSubstr("another a is there")));
}

TEST_F(SetupUndo, a_server_that_was_changed_in_our_file_stays_there) {
  files_.add(cursor, text_);
  const FileChange made = *change(plan(), user_file);
  const std::string now = config::set_server_key(made.after, "a", "disabled", "true").value();
  const Undone undone = undo_file(record_of(made), now, std::nullopt);
  EXPECT_THAT(*undone.text, HasSubstr("\"a\""));
  EXPECT_THAT(*undone.text, Not(HasSubstr("\"b\"")));
  EXPECT_THAT(undone.kept, ElementsAre(HasSubstr("a was changed")));
}

TEST_F(SetupUndo, a_file_that_is_broken_by_now_waits) {
  const FileChange made = cursor_change();
  const Undone undone = undo_file(record_of(made), "{oops", text_);
  EXPECT_EQ(undone.text, "{oops");
  EXPECT_THAT(undone.problem, Not(IsEmpty()));
}

}  // namespace
}  // namespace pi_mcp::setup
