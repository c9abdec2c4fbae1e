// Requests of one server that are under way to a host, and the calls that wait for them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/page_check.h"
#include "io/task_group.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "servers/host_link.h"

namespace pi_mcp::servers {

// Requests of one server under way at once; more are refused.
constexpr std::size_t carried_requests_max = 16;

// close() must have returned before destruction.
class CarriedRequests {
 public:
  struct Options {
    std::string server;                                         // its configured name
    io::PageRule pages;                                         // that it may want opened
    std::function<void(rpc::Outgoing)> answer;                  // writes to the server
    std::function<void(rpc::CallNumber, bool begins)> on_hold;  // a call waits for a host, or not
  };
  CarriedRequests(const io::Executor& executor, Options options);

  // Carries it to `host` and the answer back. `calls` wait for it; when the last of them ends the
  // host is told that nobody wants to know any more, and the server that it was cancelled.
  void begin(rpc::Message request,
             std::shared_ptr<HostLink> host,
             std::vector<rpc::CallNumber> calls);
  void on_call_end(rpc::CallNumber number);
  // By the server itself, which gets no answer then.
  void on_cancelled(const rpc::Id& id);

  io::Task<void> close();

 private:
  struct Carried {
    io::TaskGroup::TaskId task = 0;
    std::vector<rpc::CallNumber> calls;  // those that have not ended
    bool is_cancelled = false;           // by the server
  };
  io::Task<Result<rpc::Message>> ask(const rpc::Message* request, std::shared_ptr<HostLink> host);
  io::Task<void> carry(rpc::Message request, std::shared_ptr<HostLink> host);

  Options options_;
  std::map<std::string, Carried> carried_;  // by the JSON of the request id
  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::servers
