// Requests of ours to the host (elicitation) and their answers. One per host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "io/one_shot.h"
#include "io/task.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::gateway {

// A person may be away for so long; then the question counts as not answered.
constexpr Milliseconds person_answers_max{10 * 60'000};

class HostRequests {
 public:
  // `send` writes to the host and outlives the value.
  explicit HostRequests(std::function<void(rpc::Outgoing)> send) : send_(std::move(send)) {}

  // The host's answer, a result or a failure. timed_out after `limit`; cancelled with the task; in
  // both cases the host is told that nobody waits any more. There are never more of these than
  // calls of the host that run.
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params, Milliseconds limit);

  // An answer of the host; one that nobody waits for is dropped.
  void on_answer(rpc::Message message);

 private:
  std::function<void(rpc::Outgoing)> send_;
  std::map<std::string, io::OneShot<rpc::Message>*> waiting_;  // by the JSON of the request id
  std::uint64_t last_id_ = 0;
};

}  // namespace pi_mcp::gateway
