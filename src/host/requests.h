// Requests to the host and their answers: our own questions (elicitation for approvals), and those
// of servers that are forwarded up. One per host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "io/loop/one_shot.h"
#include "io/loop/task.h"
#include "mcp/client_features.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/link/host_link.h"

namespace pi_mcp::host {

// A person may be away for so long; then the question counts as not answered.
constexpr Milliseconds person_answers_max{10 * 60'000};
// For what a host answers by itself (roots/list).
constexpr Milliseconds host_answers_max{30'000};
// Requests that wait for the host's answer at once; more fail.
constexpr std::size_t host_requests_max = 64;

class HostRequests final : public servers::HostLink {
 public:
  using Send = std::function<void(rpc::Outgoing)>;

  // `send` writes to the host until close().
  HostRequests(mcp::ClientFeatures features,
               Send send,
               mcp::AskerShown asker = mcp::AskerShown::in_text)
      : features_(features), asker_(asker), send_(std::move(send)) {}

  [[nodiscard]] const mcp::ClientFeatures& features() const override { return features_; }
  [[nodiscard]] mcp::AskerShown asker_shown() const override { return asker_; }
  io::Task<Result<rpc::Message>> ask(std::string method, SharedText params) override;

  // An answer of the host; one that nobody waits for is dropped.
  void on_answer(rpc::Message message);
  // The host has gone: all that wait fail, and nothing is sent any more.
  void close();

 private:
  mcp::ClientFeatures features_;
  mcp::AskerShown asker_;
  Send send_;
  std::map<std::string, io::OneShot<rpc::Message>*> waiting_;  // by the JSON of the request id
  std::uint64_t last_id_ = 0;
};

}  // namespace pi_mcp::host
