#include "registry/lifecycle_notices.h"

#include <gtest/gtest.h>

namespace pi_mcp::registry {
namespace {

constexpr Milliseconds stable{60'000};

std::string text(const std::optional<Notice>& notice) {
  if (!notice) {
    return "";
  }
  return (notice->level == LogLevel::warning ? "warning: " : "info: ") + notice->text;
}

class LifecycleNoticesTest : public testing::Test {
 protected:
  std::string ready_after(Milliseconds time) { return text(notices.ready("git", now += time)); }
  std::string ended_after(Milliseconds time) {
    return text(notices.ended("git", "killed by SIGKILL", now += time));
  }

  LifecycleNotices notices{stable};
  TimePoint now;
};

TEST_F(LifecycleNoticesTest, the_end_and_the_return_are_told_once) {
  EXPECT_EQ(ready_after(Milliseconds(0)), "") << "the first start is told elsewhere";
  EXPECT_EQ(ended_after(Milliseconds(5)),
            "warning: MCP: git ended (killed by SIGKILL) and is started again");
  EXPECT_EQ(ready_after(Milliseconds(5)), "info: MCP: git is back");
}

TEST_F(LifecycleNoticesTest, one_that_ends_again_and_again_is_told_of_once_more) {
  ready_after(Milliseconds(0));
  ended_after(Milliseconds(5));
  ready_after(Milliseconds(5));
  EXPECT_EQ(ended_after(stable - Milliseconds(1)),
            "warning: MCP: git ended again (killed by SIGKILL); it is tried again after growing "
            "delays");
  EXPECT_EQ(ready_after(Milliseconds(5)), "");
  EXPECT_EQ(ended_after(Milliseconds(5)), "");
}

TEST_F(LifecycleNoticesTest, after_a_connection_that_lasted_all_begins_anew) {
  ready_after(Milliseconds(0));
  ended_after(Milliseconds(5));
  ready_after(Milliseconds(5));
  ended_after(Milliseconds(5));
  EXPECT_EQ(ready_after(Milliseconds(5)), "");
  EXPECT_EQ(ended_after(stable),
            "warning: MCP: git ended (killed by SIGKILL) and is started again");
  EXPECT_EQ(ready_after(Milliseconds(5)), "info: MCP: git is back");
}

}  // namespace
}  // namespace pi_mcp::registry
