// Turns: while messages that arrived together are dealt with, what they cause to be written is
// gathered, and goes out at the end of it.
#pragma once

#include <vector>

#include <boost/asio/execution_context.hpp>

#include "io/loop/task.h"

namespace pi_mcp::io {

// One a loop, made when somebody first asks for it.
class Turns : public boost::asio::execution_context::service {
 public:
  static inline boost::asio::execution_context::id id;

  // Somebody who waits for the end of the turn.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    Waiter(Waiter&&) = delete;
    Waiter& operator=(Waiter&&) = delete;
    virtual void end_turn() = 0;

   protected:
    explicit Waiter(Turns& turns) : turns_(turns) {}
    ~Waiter();
    // end_turn() will be called once. False: there is no turn.
    [[nodiscard]] bool wait_for_turn_end();

   private:
    Turns& turns_;
    bool waits_ = false;
    friend class Turns;
  };

  static Turns& of(const Executor& executor);
  explicit Turns(boost::asio::execution_context& context) : service(context) {}

 private:
  friend class Turn;
  void shutdown() override {}
  void end();

  int open_ = 0;  // turns inside turns count as one
  std::vector<Waiter*> waiting_;
};

// As long as it lives there is a turn. Never across a co_await.
class Turn {
 public:
  explicit Turn(Turns& turns) : turns_(turns) { ++turns_.open_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  Turn(Turn&&) = delete;
  Turn& operator=(Turn&&) = delete;
  ~Turn() {
    if (--turns_.open_ == 0) {
      turns_.end();
    }
  }

 private:
  Turns& turns_;
};

}  // namespace pi_mcp::io
