#include "mcp/revisions.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

TEST(Revisions, a_server_that_speaks_none_of_ours_is_refused_with_both_sides_named) {
  const Result<Revision> refused = accept_revision("2026-07-28");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::protocol);
  EXPECT_EQ(refused.error().message(),
            "the server speaks protocol version \"2026-07-28\", pi-mcp speaks " +
                handshake_revisions_text());
}

TEST(Revisions, every_one_is_found_by_its_name) {
  for (const RevisionTraits& row : revisions) {
    EXPECT_EQ(parse_revision(row.name), row.revision);
    EXPECT_EQ(answer_revision(row.name), row.has_handshake ? row.revision : newest_by_handshake);
    EXPECT_EQ(accept_revision(row.name).has_value(), row.has_handshake);
  }
  EXPECT_EQ(parse_revision("2025-11-26"), std::nullopt);
  EXPECT_EQ(answer_revision("2099-01-01"), newest_by_handshake);
}

TEST(Revisions, the_newest_of_each_kind_are_what_is_asked_for_first) {
  EXPECT_EQ(name(newest_by_handshake), "2025-11-25");
  EXPECT_EQ(name(newest_by_discovery), "2026-07-28");
  EXPECT_EQ(handshake_revisions_text(), "2024-11-05 to 2025-11-25");
  EXPECT_TRUE(revisions_json().starts_with(R"(["2026-07-28","2025-11-25",)"));
}

TEST(Revisions, a_user_pins_a_kind_of_them) {
  EXPECT_EQ(parse_protocol("legacy"), Protocol::handshake);
  EXPECT_EQ(parse_protocol("2026-07-28"), Protocol::discovery);
  EXPECT_EQ(parse_protocol("auto"), Protocol::automatic);
  EXPECT_EQ(parse_protocol("2025-11-25"), Protocol::automatic);
}

}  // namespace
}  // namespace pi_mcp::mcp
