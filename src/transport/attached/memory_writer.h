// Messages to a host, by way of a memory that outlives us: either a message has left whole, or it
// is owed in the memory before its first byte leaves. What one system call can pass on whole does
// not take the way through the memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/task.h"
#include "io/loop/task_group.h"
#include "io/loop/write_batch.h"
#include "io/process/host_channel.h"
#include "rpc/outgoing.h"
#include "transport/attached/host_memory.h"

namespace pi_mcp::transport {

class MemoryWriter final : io::WriteBatches::Waiter {
 public:
  // All of them outlive it. `on_broken` is told once when a write has failed; not by close().
  MemoryWriter(const io::Executor& executor,
               HostMemory* memory,
               io::HostOutput* output,
               io::TaskGroup* tasks,
               std::function<void()> on_broken);

  // Never waits. io: closed, or nobody reads any more. unavailable: the host does not read, and is
  // owed as much as it may be.
  Result<void> send(rpc::Outgoing message);
  // Begins to write what a process before us owed.
  void begin();
  // Until something was written, or stir(). unavailable: nothing ever will be. cancelled.
  io::Task<Result<void>> wait_for_change();
  void stir() { changed_.notify_all(); }
  // As LineWriter has them.
  io::Task<Result<void>> drain(std::size_t bytes);
  io::Task<void> flush(Milliseconds limit);
  void close();

 private:
  [[nodiscard]] std::size_t queued_bytes() const {
    return memory_->owed().size() + memory_->fresh().size();
  }
  void write();
  Result<bool> write_whole();
  Result<bool> move_owed();
  Result<bool> move_some();
  void begin_wait();
  void begin_batch();
  void end_batch() override;
  io::Task<void> wait_and_write();
  void end(std::string why);

  io::Executor executor_;
  HostMemory* memory_;
  io::HostOutput* output_;
  io::TaskGroup* tasks_;
  std::function<void()> on_broken_;
  bool in_batch_ = false;
  bool waits_for_room_ = false;
  std::string end_reason_;  // not empty once nothing can be written any more
  io::Condition changed_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace pi_mcp::transport
