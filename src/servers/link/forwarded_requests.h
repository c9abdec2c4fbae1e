// Requests of one server on their way to a host: which are forwarded, how many, and the calls that
// wait for them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/rate.h"
#include "io/loop/task_group.h"
#include "io/net/address_check.h"
#include "mcp/client_features.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/link/host_link.h"
#include "servers/link/request_owner.h"

namespace pi_mcp::servers {

// Requests of one server under way at once; more are refused.
constexpr std::size_t forwarded_requests_max = 16;

// Most requests are for a person. A server that works through a list may ask some at once; what is
// over this is refused.
constexpr RateLimits forwarded_rate{.burst = 20, .interval = Milliseconds(200), .waiting = 8};

// close() must have returned before destruction.
class ForwardedRequests {
 public:
  struct Options {
    std::string server;                 // its configured name
    mcp::ClientFeatures features = {};  // that were declared
    // Whom to ask for roots outside of any call; null or returning null: nobody.
    std::function<std::shared_ptr<HostLink>()> host = nullptr;
    io::PageRule pages;                                         // that it may want opened
    std::function<void(rpc::Outgoing)> answer;                  // writes to the server
    std::function<void(rpc::CallNumber, bool begins)> on_hold;  // a call waits for a host, or not
  };
  ForwardedRequests(const io::Executor& executor, Options options);

  // Carries it to `host`, who is the host of `owner`, and the answer back. The calls of `owner`
  // wait for it; when the last of them ends the host is told that nobody wants to know any more,
  // and the server that it was cancelled. What is not forwarded is answered with the reason: what
  // the host cannot do, what belongs to no call and is for a person or a model, and what is too
  // much.
  void begin(rpc::Message request, std::shared_ptr<HostLink> host, RequestOwner owner);
  // For questions that come in another way and are put to the host by somebody else: waits for
  // their turn. unavailable: the server asks too much. cancelled.
  io::Task<Result<void>> wait_for_turn();
  void on_call_end(rpc::CallNumber number);
  // By the server itself, which gets no answer then.
  void on_cancelled(const rpc::Id& id);

  io::Task<void> close();

 private:
  struct Forwarded {
    io::TaskGroup::TaskId task = 0;
    std::vector<rpc::CallNumber> calls;  // those that have not ended
    bool is_cancelled = false;           // by the server
  };
  void end(const rpc::Id& id, rpc::Outgoing answer);
  io::Task<void> carry(rpc::Message request, std::shared_ptr<HostLink> host, TimePoint turn);
  io::Task<Result<rpc::Message>> ask(const rpc::Message* request, std::shared_ptr<HostLink> host);

  Options options_;
  Rate rate_{forwarded_rate};
  std::map<std::string, Forwarded> forwarded_;  // by the JSON of the request id
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::servers
