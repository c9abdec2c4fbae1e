#include "doctor/examine.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::doctor {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ServerFacts server(const std::string& name) {
  ServerFacts facts{};
  facts.name = name;
  facts.origin.path = "/home/ann/.pi/agent/mcp.json";
  return facts;
}

std::vector<Code> codes_of(const Facts& facts) {
  std::vector<Code> found;
  for (const Finding& finding : examine(facts)) {
    found.push_back(finding.code);
  }
  return found;
}

TEST(DoctorCodes, each_has_one_row_and_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < codes().size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(codes()[i].code), i);
    EXPECT_TRUE(codes()[i].name.starts_with("PM-")) << codes()[i].name;
    names.insert(codes()[i].name);
  }
  EXPECT_EQ(names.size(), codes().size());
}

TEST(DoctorCodes, each_has_a_sentence_and_a_command_that_a_shell_takes_as_it_is) {
  const About about{.server = "my server", .path = "/a b/c", .what = "X", .why = "because"};
  for (const CodeRow& row : codes()) {
    EXPECT_FALSE(row.sentence(about).empty()) << row.name;
    const std::string command = row.command(about);
    EXPECT_FALSE(command.empty()) << row.name;
    const std::string unquoted = command.substr(0, command.find('\''));
    EXPECT_THAT(unquoted, Not(HasSubstr("my server"))) << row.name;
    EXPECT_THAT(unquoted, Not(HasSubstr("/a b"))) << row.name;
  }
}

TEST(Doctor, facts_without_a_fault_give_nothing) {
  Facts facts{};
  facts.servers = {server("a")};
  facts.servers[0].program = ProgramFacts{};
  facts.servers[0].program->path = "/usr/bin/a";
  EXPECT_THAT(examine(facts), IsEmpty());
}

TEST(Doctor, errors_come_first_and_notes_last) {
  Facts facts{};
  facts.hidden = {{.name = "a", .path = "/x", .by_path = "/y"}};
  facts.warnings = {{.path = "/x", .message = "odd"}};
  facts.files = {
      {.path = "/y", .role = "user file", .exists = true, .problem = "broken", .is_open = false}};
  EXPECT_THAT(codes_of(facts),
              ElementsAre(Code::file_unreadable, Code::file_warning, Code::name_hidden));
}

TEST(Doctor, a_note_alone_is_clean) {
  Facts facts{};
  facts.hidden = {{.name = "a", .path = "/x", .by_path = "/y"}};
  EXPECT_TRUE(is_clean(examine(facts)));
  facts.warnings = {{.path = "/x", .message = "odd"}};
  EXPECT_FALSE(is_clean(examine(facts)));
}

TEST(Doctor, servers_that_nobody_starts_are_left_alone) {
  Facts facts{};
  facts.servers = {server("off"), server("theirs")};
  facts.servers[0].disabled = true;
  facts.servers[0].missing_folder = "/gone";
  facts.servers[1].needs_trust = true;
  facts.servers[1].missing_folder = "/gone";
  EXPECT_THAT(examine(facts), IsEmpty());
}

TEST(Doctor, a_login_that_ends_within_a_day_or_has_ended_is_said_before_it_is_needed) {
  constexpr std::int64_t hour_ms = 3'600'000;
  Facts facts{};
  facts.now = {2000};
  facts.servers = {server("far")};
  facts.servers[0].login = LoginFacts{.is_asked_for = true, .is_there = true, .ends_at = {}};
  EXPECT_THAT(examine(facts), IsEmpty());
  facts.servers[0].login->ends_at = EpochMs{2000};
  EXPECT_THAT(codes_of(facts), ElementsAre(Code::login_expired));
  facts.servers[0].login->ends_at = EpochMs{2000 + 5 * hour_ms};
  const std::vector<Finding> found = examine(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(row_of(found[0].code).sentence(found[0].about),
            "server \"far\": its login ends in 5 h");
  EXPECT_EQ(row_of(found[0].code).command(found[0].about), "pi-mcp auth far");
  facts.servers[0].login->ends_at = EpochMs{2000 + 24 * hour_ms};
  EXPECT_THAT(examine(facts), IsEmpty());
}

TEST(Doctor, secrets_are_missing_or_stand_in_a_file_and_have_the_command_that_stores_them) {
  Facts facts{};
  facts.servers = {server("gh")};
  facts.servers[0].missing_secrets = {{.name = "WORK", .field = "env A", .problem = ""}};
  facts.servers[0].plain_tokens = {{.field = "env.B",
                                    .path = "/x",
                                    .exposure = "which is in a repository",
                                    .name = "gh.B",
                                    .replacement = "${keyring:gh.B}"}};
  const std::vector<Finding> found = examine(facts);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(row_of(found[0].code).sentence(found[0].about),
            "server \"gh\" uses the secret WORK in env A, which is not stored");
  EXPECT_EQ(row_of(found[0].code).command(found[0].about), "pi-mcp secret set WORK");
  EXPECT_EQ(row_of(found[1].code).sentence(found[1].about),
            "server \"gh\" has a token in plain text in env.B of /x, which is in a repository; "
            "store it, then write ${keyring:gh.B} there");
  EXPECT_EQ(row_of(found[1].code).command(found[1].about), "pi-mcp secret set gh.B");
  EXPECT_FALSE(can_start(facts.servers[0]));
}

TEST(Doctor, only_a_login_that_the_entry_asks_for_is_missing) {
  Facts facts{};
  facts.servers = {server("far")};
  facts.servers[0].login = LoginFacts{};
  EXPECT_THAT(examine(facts), IsEmpty());
  facts.servers[0].login->is_asked_for = true;
  EXPECT_THAT(codes_of(facts), ElementsAre(Code::login_needed));
}

TEST(Doctor, without_a_keyring_a_secret_is_stored_in_a_file) {
  Facts facts{};
  facts.servers = {server("gh")};
  facts.servers[0].missing_secrets = {
      {.name = "WORK", .field = "env A", .problem = "there is no D-Bus"}};
  const std::vector<Finding> found = examine(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(row_of(found[0].code).command(found[0].about), "pi-mcp secret set WORK --file");
}

TEST(Doctor, a_proxy_in_the_way_is_not_mended_in_the_entry) {
  Facts facts{};
  facts.servers = {server("far")};
  facts.servers[0].start = StartFacts{};
  facts.servers[0].start->problem = "the proxy http://p:1 of HTTPS_PROXY: refused";
  facts.servers[0].start->behind_proxy = "far.example";
  const std::vector<Finding> found = examine(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(row_of(found[0].code).command(found[0].about),
            "export NO_PROXY=\"$NO_PROXY,far.example\"");
}

TEST(Doctor, who_cannot_log_in_is_told_what_the_server_refuses) {
  Facts facts{};
  facts.servers = {server("rej")};
  facts.servers[0].last_failure = LastFailure{.reason = "it refuses", .wants_login = true};
  EXPECT_THAT(codes_of(facts), ElementsAre(Code::run_failed));
  facts.servers[0].start = StartFacts{};
  facts.servers[0].start->problem = "it refuses the credentials";
  facts.servers[0].start->wants_login = true;
  const std::vector<Finding> found = examine(facts);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, Code::start_failed);
  EXPECT_EQ(found[0].about.why, "it refuses the credentials");
  EXPECT_EQ(row_of(found[0].code).command(found[0].about),
            "${EDITOR:-vi} /home/ann/.pi/agent/mcp.json");
  facts.servers[0].login = LoginFacts{};
  EXPECT_THAT(codes_of(facts), ElementsAre(Code::login_needed));
}

}  // namespace
}  // namespace pi_mcp::doctor
