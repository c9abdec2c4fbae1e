#include "tool/sharing/shared_view.h"

#include <gtest/gtest.h>

namespace pi_mcp::tool {
namespace {

SharedView full() {
  return {.process_id = 4711,
          .sessions = {{.client = "claude-code 2.1.0",
                        .folder = "/srv/a \"b\"",
                        .age = Milliseconds(61'000),
                        .servers = {"files", "web"}},
                       {.client = "", .folder = "/srv/c", .age = Milliseconds(0), .servers = {}}},
          .resting = {"browser"},
          .copies = {{.server = "files",
                      .count = 2,
                      .parted_by = {{.by = servers::PartedBy::folder},
                                    {.by = servers::PartedBy::variable, .name = "TOKEN"}},
                      .join = R"("share": "user")"}}};
}

TEST(SharedView, crosses_to_another_process_as_it_is) {
  EXPECT_EQ(take_shared_view(shared_answer(full())).value(), full());
  EXPECT_EQ(take_shared_view(shared_answer({})).value(), SharedView());
}

TEST(SharedView, another_answer_is_not_taken_for_it) {
  const Answer other = Reply(std::nullopt, "x").with("shared", "yes").take();
  EXPECT_EQ(take_shared_view(other).error().code(), ErrorCode::protocol);
  EXPECT_FALSE(take_shared_view(Reply(std::nullopt, "x").take()));
}

TEST(SharedRuns, cross_to_another_process_and_grow_older_on_the_way) {
  runs::RunServer server;
  server.status.name = "files";
  server.status.state = servers::ServerStatus::State::connected;
  server.status.connected_seconds = 60;
  server.words = "listening\n";
  const std::vector<runs::RunRecord> runs = {
      {.process_id = 4711,
       .client = "claude-code 2.1.0",
       .cwd = "/srv/a",
       .started_at = {1000},
       .servers = {server}},
      {.process_id = 4711, .client = "", .cwd = "/srv/b", .started_at = {2000}, .servers = {}}};
  const auto taken = take_runs(runs_answer(runs, {1'000'000}), {1'005'000});
  ASSERT_TRUE(taken);
  ASSERT_EQ(taken->size(), 2U);
  EXPECT_EQ(taken->front().client, "claude-code 2.1.0");
  ASSERT_EQ(taken->front().servers.size(), 1U);
  EXPECT_EQ(taken->front().servers[0].status.connected_seconds, 65);
  EXPECT_EQ(taken->front().servers[0].words, "listening\n");
  EXPECT_TRUE(taken->back().servers.empty());
  EXPECT_TRUE(take_runs(runs_answer({}, {}), {})->empty());
  EXPECT_FALSE(take_runs(shared_answer({}), {}));
}

TEST(SharedView, tells_programs_who_uses_what_and_what_would_join_copies) {
  json::Writer out;
  write_shared_view(out, full());
  EXPECT_EQ(out.text(),
            R"({"process":4711,"sessions":[{"client":"claude-code 2.1.0","folder":"/srv/a \"b\"",)"
            R"("ageMs":61000,"servers":["files","web"]},{"client":"","folder":"/srv/c","ageMs":0,)"
            R"("servers":[]}],"resting":["browser"],"copies":[{"server":"files","count":2,)"
            R"("partedBy":[{"by":"folder"},{"by":"variable","name":"TOKEN"}],)"
            R"("join":"\"share\": \"user\""}]})");
}

}  // namespace
}  // namespace pi_mcp::tool
