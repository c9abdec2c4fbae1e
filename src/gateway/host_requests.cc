#include "gateway/host_requests.h"

#include <utility>

#include "io/with_deadline.h"
#include "mcp/methods.h"

namespace pi_mcp::gateway {

io::Task<Result<rpc::Message>> HostRequests::ask(std::string method,
                                                 SharedText params,
                                                 Milliseconds limit) {
  const rpc::Id id(static_cast<std::int64_t>(++last_id_));
  io::OneShot<rpc::Message> answered;
  waiting_.emplace(id.json(), &answered);
  send_(rpc::request(id, method, params));
  Result<rpc::Message> answer = co_await io::with_deadline(limit, method, answered.wait());
  waiting_.erase(id.json());
  if (!answer) {
    send_(rpc::notification(mcp::method::cancelled,
                            SharedText("{\"requestId\":" + std::string(id.json()) + "}")));
  }
  co_return answer;
}

void HostRequests::on_answer(rpc::Message message) {
  const auto found = waiting_.find(std::string(message.id().json()));
  if (found != waiting_.end()) {
    found->second->set(std::move(message));
  }
}

}  // namespace pi_mcp::gateway
