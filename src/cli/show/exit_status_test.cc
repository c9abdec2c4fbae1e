#include "cli/show/exit_status.h"

#include <gtest/gtest.h>

namespace pi_mcp::cli {
namespace {

using tool::Failure;

int status_of(Failure failure) {
  return static_cast<int>(exit_status(failure));
}

TEST(ExitStatus, every_failure_of_a_request_has_its_documented_status) {
  EXPECT_EQ(status_of(Failure::none), 0);
  EXPECT_EQ(status_of(Failure::tool_error), 1);
  EXPECT_EQ(status_of(Failure::usage), 2);
  EXPECT_EQ(status_of(Failure::not_found), 3);
  EXPECT_EQ(status_of(Failure::unavailable), 4);
  EXPECT_EQ(status_of(Failure::unauthorized), 5);
  EXPECT_EQ(status_of(Failure::timed_out), 6);
  EXPECT_EQ(status_of(Failure::cancelled), 130);
}

TEST(ExitStatus, every_error_code_has_its_documented_status) {
  EXPECT_EQ(exit_status(ErrorCode::invalid_argument), ExitStatus::usage);
  EXPECT_EQ(exit_status(ErrorCode::not_found), ExitStatus::not_found);
  EXPECT_EQ(exit_status(ErrorCode::unavailable), ExitStatus::unavailable);
  EXPECT_EQ(exit_status(ErrorCode::protocol), ExitStatus::unavailable);
  EXPECT_EQ(exit_status(ErrorCode::unauthorized), ExitStatus::unauthorized);
  EXPECT_EQ(exit_status(ErrorCode::timed_out), ExitStatus::timed_out);
  EXPECT_EQ(exit_status(ErrorCode::cancelled), ExitStatus::interrupted);
  EXPECT_EQ(exit_status(ErrorCode::io), ExitStatus::tool_error);
}

}  // namespace
}  // namespace pi_mcp::cli
