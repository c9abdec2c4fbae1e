#include "io/process/process_limits.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <gtest/gtest.h>

namespace pi_mcp::io {
namespace {

TEST(ProcessTraitsTest, our_own_are_what_the_system_says) {
  const ProcessTraits own = own_traits();
  const mode_t mask = ::umask(0);
  (void)::umask(mask);
  EXPECT_EQ(own.umask, mask);
  struct rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  EXPECT_EQ(own.limits.at(RLIMIT_NOFILE),
            (ResourceLimit{.soft = files.rlim_cur, .hard = files.rlim_max}));
  EXPECT_EQ(out_of_reach(own, own), std::nullopt);
}

TEST(ProcessTraitsTest, what_is_lowered_cannot_be_raised) {
  ProcessTraits own;
  own.limits.fill({.soft = 10, .hard = 100});
  ProcessTraits wanted = own;
  wanted.limits.at(RLIMIT_NOFILE) = {.soft = 100, .hard = 100};
  EXPECT_EQ(out_of_reach(own, wanted), std::nullopt) << "a soft limit can be";
  wanted.limits.at(RLIMIT_NOFILE).hard = 101;
  EXPECT_EQ(out_of_reach(own, wanted), "its hard limit of open files is higher");
  wanted = own;
  wanted.niceness = 5;
  EXPECT_EQ(out_of_reach(own, wanted), std::nullopt);
  EXPECT_EQ(out_of_reach(wanted, own), "its niceness is 0, and 5 cannot be lowered to that");
}

}  // namespace
}  // namespace pi_mcp::io
