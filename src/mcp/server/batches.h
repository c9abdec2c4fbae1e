// Batches of a host (2025-03-26): the answers to the requests of one go back together. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// Messages in one batch.
constexpr std::size_t batch_messages_max = 100;
// Of all answers that wait for others of their batch; those above it become errors.
constexpr std::size_t batch_bytes_max = std::size_t{64} << 20U;

class Batches {
 public:
  // A batch whose `requests` will be answered; `answered` are answers to what could not be read.
  // What is to be sent at once: nothing, when requests are open or nothing is to be answered.
  std::optional<rpc::Outgoing> open(std::vector<rpc::Id> requests,
                                    std::vector<rpc::Outgoing> answered);
  // The reply to a request: itself, when it belongs to no batch; the answer to the whole batch,
  // when it is the last; else nothing. nullopt as reply: the request gets none.
  std::optional<rpc::Outgoing> reply(const rpc::Id& id, std::optional<rpc::Outgoing> reply);

 private:
  struct Batch {
    std::vector<rpc::Id> requests;  // without an answer
    std::vector<rpc::Outgoing> answers;
  };
  static std::optional<rpc::Outgoing> joined(const Batch& batch);

  std::vector<Batch> open_;
  std::size_t bytes_ = 0;  // of all answers
};

}  // namespace pi_mcp::mcp
