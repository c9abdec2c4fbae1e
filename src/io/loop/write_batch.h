// Write batches: while messages that arrived together are dealt with, what they cause to be written
// is gathered; it goes out when the batch ends.
#pragma once

#include <vector>

#include <boost/asio/execution_context.hpp>

#include "io/loop/task.h"

namespace pi_mcp::io {

// One a loop, made when somebody first asks for it.
class WriteBatches : public boost::asio::execution_context::service {
 public:
  static inline boost::asio::execution_context::id id;

  // Somebody who waits for the end of the batch.
  class Waiter {
   public:
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    virtual void end_batch() = 0;

   protected:
    explicit Waiter(WriteBatches& batches) : batches_(batches) {}
    ~Waiter();
    // end_batch() will be called once. False: no batch has begun.
    [[nodiscard]] bool wait_for_batch_end();

   private:
    WriteBatches& batches_;
    bool waits_ = false;
    friend class WriteBatches;
  };

  static WriteBatches& of(const Executor& executor);
  explicit WriteBatches(boost::asio::execution_context& context) : service(context) {}

 private:
  friend class WriteBatch;
  void shutdown() override {}
  void end();

  int open_ = 0;  // batches inside a batch count as one
  std::vector<Waiter*> waiting_;
};

// A batch lasts as long as the outermost of these lives. Never across a co_await.
class WriteBatch {
 public:
  explicit WriteBatch(WriteBatches& batches) : batches_(batches) { ++batches_.open_; }
  WriteBatch(const WriteBatch&) = delete;
  WriteBatch& operator=(const WriteBatch&) = delete;
  ~WriteBatch() {
    if (--batches_.open_ == 0) {
      batches_.end();
    }
  }

 private:
  WriteBatches& batches_;
};

}  // namespace pi_mcp::io
