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
                                    {.by = servers::PartedBy::variable, .name = "TOKEN"}}}}};
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
