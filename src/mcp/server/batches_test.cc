// Answers to a batch wait for one another within a limit.
#include "mcp/server/batches.h"

#include <gtest/gtest.h>

namespace pi_mcp::mcp {
namespace {

std::string text(const std::optional<rpc::Outgoing>& out) {
  return out ? out->flat() : "nothing";
}

TEST(Batches, a_request_of_no_batch_is_answered_at_once) {
  Batches batches;
  EXPECT_EQ(text(batches.reply(rpc::Id(1), rpc::Outgoing("a"))), "a");
  EXPECT_EQ(text(batches.reply(rpc::Id(1), std::nullopt)), "nothing");
}

TEST(Batches, answers_that_are_too_large_together_become_errors) {
  Batches batches;
  EXPECT_EQ(text(batches.open({rpc::Id(1), rpc::Id(2), rpc::Id(3)}, {})), "nothing");
  const std::string large(batch_bytes_max - 10, 'x');
  EXPECT_EQ(text(batches.reply(rpc::Id(2), rpc::Outgoing(large))), "nothing");
  EXPECT_EQ(text(batches.reply(rpc::Id(3), rpc::Outgoing("short"))), "nothing");
  const std::string all = text(batches.reply(rpc::Id(1), rpc::Outgoing("eleven char")));
  EXPECT_TRUE(all.starts_with("[" + large + ",short,"));
  EXPECT_NE(all.find("too large together"), std::string::npos);
  EXPECT_EQ(text(batches.open({rpc::Id(1)}, {rpc::Outgoing("read")})), "nothing");
  EXPECT_EQ(text(batches.reply(rpc::Id(1), rpc::Outgoing(large.substr(20)))).size(),
            large.size() - 20 + 7)
      << "what was sent counts no more";
}

TEST(Batches, of_the_same_id_each_is_answered_once) {
  Batches batches;
  batches.open({rpc::Id(1), rpc::Id(1)}, {});
  EXPECT_EQ(text(batches.reply(rpc::Id(1), rpc::Outgoing("a"))), "nothing");
  EXPECT_EQ(text(batches.reply(rpc::Id(1), std::nullopt)), "[a]");
  EXPECT_EQ(text(batches.open({}, {})), "nothing");
  EXPECT_EQ(text(batches.open({}, {rpc::Outgoing("a")})), "[a]");
}

}  // namespace
}  // namespace pi_mcp::mcp
