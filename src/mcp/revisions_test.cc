#include "mcp/revisions.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

TEST(Revisions, a_server_that_speaks_none_of_ours_is_refused_with_both_sides_named) {
  const Result<Revision> refused = accept_revision("2026-07-28");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::protocol);
  EXPECT_EQ(refused.error().message(),
            "the server speaks protocol version \"2026-07-28\", pi-mcp speaks 2024-11-05 to "
            "2025-11-25");
}

TEST(Revisions, every_one_is_found_by_its_name) {
  for (const Revision revision : all_revisions) {
    EXPECT_EQ(parse_revision(name(revision)), revision);
    EXPECT_EQ(answer_revision(name(revision)), revision);
    EXPECT_EQ(accept_revision(name(revision)).value_or(newest_revision), revision);
  }
  EXPECT_EQ(parse_revision("2025-11-26"), std::nullopt);
  EXPECT_EQ(answer_revision("2099-01-01"), newest_revision);
}

TEST(Revisions, only_2025_03_26_has_batches_and_nothing_else_is_ever_taken_away) {
  for (const Revision revision : all_revisions) {
    EXPECT_EQ(traits(revision).batches, revision == Revision::r2025_03_26);
  }
  EXPECT_FALSE(traits(Revision::r2024_11_05).audio);
  EXPECT_TRUE(traits(Revision::r2025_03_26).audio);
  EXPECT_FALSE(traits(Revision::r2025_03_26).structured_content);
  EXPECT_TRUE(traits(Revision::r2025_06_18).structured_content);
  EXPECT_TRUE(traits(Revision::r2025_11_25).elicitation_url);
}

}  // namespace
}  // namespace pi_mcp::mcp
