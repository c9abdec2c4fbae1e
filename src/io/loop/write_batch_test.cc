#include "io/loop/write_batch.h"

#include <memory>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace pi_mcp::io {
namespace {

class Listener final : public Turns::Waiter {
 public:
  explicit Listener(Turns& turns) : Waiter(turns) {}
  bool listen() { return wait_for_turn_end(); }
  void end_turn() override { ++ended; }
  int ended = 0;
};

class Turning : public testing::Test {
 protected:
  boost::asio::io_context context;
  Turns& turns = Turns::of(context.get_executor());
};

TEST_F(Turning, nobody_waits_for_the_end_of_a_turn_that_is_not) {
  Listener listener(turns);
  EXPECT_FALSE(listener.listen());
  {
    const Turn turn(turns);
  }
  EXPECT_EQ(listener.ended, 0);
}

TEST_F(Turning, the_outermost_turn_ends_once_for_each_who_waits) {
  Listener listener(turns);
  {
    const Turn outer(turns);
    {
      const Turn inner(turns);
      EXPECT_TRUE(listener.listen());
      EXPECT_TRUE(listener.listen());
    }
    EXPECT_EQ(listener.ended, 0);
  }
  EXPECT_EQ(listener.ended, 1);
  {
    const Turn next(turns);
  }
  EXPECT_EQ(listener.ended, 1) << "it did not ask again";
}

TEST_F(Turning, who_has_gone_is_not_told) {
  Listener stays(turns);
  const Turn turn(turns);
  auto goes = std::make_unique<Listener>(turns);
  EXPECT_TRUE(goes->listen());
  EXPECT_TRUE(stays.listen());
  goes.reset();
}

TEST_F(Turning, all_of_one_loop_share_their_turns) {
  EXPECT_EQ(&Turns::of(context.get_executor()), &turns);
}

}  // namespace
}  // namespace pi_mcp::io
