#include "runs/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/document.h"

namespace pi_mcp::runs {
namespace {

using testing::HasSubstr;
using testing::Not;

RunRecord example() {
  RunServer server;
  server.status.name = "my \"server\"";
  server.status.state = servers::ServerStatus::State::connected;
  server.status.tools = 12;
  server.status.process_id = 4711;
  server.status.connected_seconds = 60;
  server.status.restarts = 2;
  server.status.last_error = "killed by SIGKILL";
  server.status.last_error_seconds_ago = 90;
  server.status.recovered = true;
  server.identity = "1234";
  server.log = 3;
  server.words = "listening\non \"80\"\n";
  return {.process_id = 99,
          .client = "claude-code 2.1.0",
          .cwd = "/srv/é",
          .started_at = {1000},
          .servers = {server}};
}

TEST(RunRecord, is_read_as_it_was_written_and_ages_grow) {
  const std::string json = run_record_json(example(), {1'000'000});
  const std::optional<RunRecord> read = parse_run_record(json, {1'005'000});
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->process_id, 99);
  EXPECT_EQ(read->client, "claude-code 2.1.0");
  EXPECT_EQ(read->cwd, "/srv/é");
  EXPECT_EQ(read->started_at.value, 1000);
  ASSERT_EQ(read->servers.size(), 1U);
  const servers::ServerStatus& status = read->servers[0].status;
  EXPECT_EQ(status.name, "my \"server\"");
  EXPECT_EQ(status.state, servers::ServerStatus::State::connected);
  EXPECT_EQ(status.tools, 12U);
  EXPECT_EQ(status.process_id, 4711);
  EXPECT_EQ(status.connected_seconds, 65);
  EXPECT_EQ(status.failed_seconds_ago, std::nullopt);
  EXPECT_EQ(status.restarts, 2U);
  EXPECT_EQ(status.last_error, "killed by SIGKILL");
  EXPECT_EQ(status.last_error_seconds_ago, 95);
  EXPECT_TRUE(status.recovered);
  EXPECT_EQ(read->servers[0].identity, "1234");
  EXPECT_EQ(read->servers[0].log, 3U);
  EXPECT_EQ(read->servers[0].words, "listening\non \"80\"\n");
}

TEST(RunRecord, a_clock_that_was_set_back_gives_no_negative_age) {
  const std::string json = run_record_json(example(), {1'000'000});
  EXPECT_EQ(parse_run_record(json, {1000})->servers[0].status.connected_seconds, 0);
}

TEST(RunRecord, times_that_nothing_has_give_no_age) {
  for (const char* time : {"-9223372036854775808", "9223372036854775807"}) {
    const std::string json =
        R"({"version":1,"servers":[{"name":"a","status":"failed","failedAt":)" + std::string(time) +
        "}]}";
    const std::optional<RunRecord> read = parse_run_record(json, {1'000'000});
    ASSERT_TRUE(read.has_value());
    const std::string written = run_record_json(*read, {1'000'000});
    EXPECT_EQ(run_record_json(*parse_run_record(written, {1'000'000}), {1'000'000}), written);
    EXPECT_GE(read->servers[0].status.failed_seconds_ago.value_or(0), 0) << time;
  }
}

TEST(RunRecord, what_is_no_record_is_none) {
  const std::string json = run_record_json(example(), {1'000'000});
  for (std::size_t length = 0; length < json.size(); ++length) {
    EXPECT_EQ(parse_run_record(json.substr(0, length), {}), std::nullopt) << length;
  }
  EXPECT_EQ(parse_run_record(R"({"version":2,"servers":[]})", {}), std::nullopt);
  EXPECT_TRUE(parse_run_record(R"({"version":1,"servers":[7,{}]})", {})->servers.empty());
}

TEST(RunRecord, the_last_run_is_read_as_it_was_written) {
  const LastRun run{.server = "a",
                    .identity = "12",
                    .client = "cursor",
                    .cwd = "/w",
                    .error = "exited with status 1",
                    .wants_login = true,
                    .stderr_tail = "one\ntwo\n",
                    .ended_at = {5}};
  const std::optional<LastRun> read = parse_last_run(last_run_json(run));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->wants_login);
  EXPECT_EQ(read->identity, "12");
  EXPECT_EQ(read->server + read->client + read->cwd + read->error + read->stderr_tail,
            "acursor/wexited with status 1one\ntwo\n");
  EXPECT_EQ(read->ended_at.value, 5);
  EXPECT_EQ(parse_last_run("[]"), std::nullopt);
}

TEST(KeptStderr, is_what_was_said_last_from_the_beginning_of_a_line) {
  EXPECT_EQ(kept_stderr("a\n\nb\n", {}), "a\n\nb\n");
  std::string flood;
  while (flood.size() < 3 * stderr_kept_max) {
    flood += "line " + std::to_string(flood.size()) + "\n";
  }
  const std::string kept = kept_stderr(flood, {});
  EXPECT_LE(kept.size(), stderr_kept_max);
  EXPECT_GT(kept.size(), stderr_kept_max - 100);
  EXPECT_TRUE(kept.starts_with("line "));
  EXPECT_TRUE(flood.ends_with(kept));
}

TEST(KeptStderr, names_what_is_to_be_mended) {
  for (const std::string text : {"KeyError: 'GITHUB_TOKEN'",
                                 "KeyError: 'GITHUB_PERSONAL_ACCESS_TOKEN'",
                                 "token: GITHUB_TOKEN is not set",
                                 "missing env API_KEY: set it"}) {
    EXPECT_EQ(kept_stderr(text, {}), text);
  }
  EXPECT_EQ(kept_stderr("missing env API_KEY: set API_KEY=your-key", {}),
            "missing env API_KEY: set API_KEY=***");
  EXPECT_EQ(kept_stderr("using it, Authorization: Bearer abc", {}),
            "using it, Authorization: Bearer ***");
  EXPECT_EQ(kept_stderr("running x --api-key hunter2xyz --port 8080", {}),
            "running x --api-key *** --port 8080");
  EXPECT_EQ(kept_stderr("token=abc123secretvalue password=hunter2xyz", {}),
            "token=*** password=***");
}

TEST(KeptStderr, has_no_secret_in_it) {
  secrets::Secrets secrets;
  secrets.add("hunter2hunter2");
  secrets.add("80");
  const std::string kept = kept_stderr(
      "listening on port 80\n"
      "using hunter2hunter2 as password\n"
      "Authorization: Bearer abc.def\n"
      "GET https://user:pass@example.com/?api_key=12345 failed\n"
      "got ghp_16C7e42F292c6912E7710c838347Ae178B4a\n",
      secrets);
  EXPECT_THAT(kept, HasSubstr("listening on port 80\nusing *** as password\n"));
  for (const std::string_view secret : {"hunter2", "abc.def", "user:pass", "12345", "ghp_"}) {
    EXPECT_THAT(kept, Not(HasSubstr(std::string(secret))));
  }
}

}  // namespace
}  // namespace pi_mcp::runs
