#include "io/loop/write_batch.h"

#include <memory>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pi_mcp::io {
namespace {

class Listener final : public WriteBatches::Waiter {
 public:
  explicit Listener(WriteBatches& batches) : Waiter(batches) {}
  bool listen() { return wait_for_batch_end(); }
  void end_batch() override { ++ended; }
  int ended = 0;
};

class WriteBatching : public testing::Test {
 protected:
  boost::asio::io_context context;
  WriteBatches& batches = WriteBatches::of(context.get_executor());
};

TEST_F(WriteBatching, nobody_waits_for_the_end_of_a_batch_that_is_not) {
  Listener listener(batches);
  EXPECT_FALSE(listener.listen());
  {
    const WriteBatch batch(batches);
  }
  EXPECT_EQ(listener.ended, 0);
}

TEST_F(WriteBatching, the_outermost_batch_ends_once_for_each_who_waits) {
  Listener listener(batches);
  {
    const WriteBatch outer(batches);
    {
      const WriteBatch inner(batches);
      EXPECT_TRUE(listener.listen());
      EXPECT_TRUE(listener.listen());
    }
    EXPECT_EQ(listener.ended, 0);
  }
  EXPECT_EQ(listener.ended, 1);
  {
    const WriteBatch next(batches);
  }
  EXPECT_EQ(listener.ended, 1) << "it did not ask again";
}

TEST_F(WriteBatching, who_has_gone_is_not_told) {
  Listener stays(batches);
  const WriteBatch batch(batches);
  auto goes = std::make_unique<Listener>(batches);
  EXPECT_TRUE(goes->listen());
  EXPECT_TRUE(stays.listen());
  goes.reset();
}

TEST_F(WriteBatching, all_of_one_loop_share_their_batches) {
  EXPECT_EQ(&WriteBatches::of(context.get_executor()), &batches);
}

}  // namespace
}  // namespace pi_mcp::io
