#include "host/requests.h"

#include <utility>

#include "io/loop/with_deadline.h"
#include "mcp/methods.h"

namespace pi_mcp::host {
namespace {

Error host_has_gone() {
  return {ErrorCode::unavailable, "the host has gone"};
}

}  // namespace

io::Task<Result<rpc::Message>> HostRequests::ask(std::string method, SharedText params) {
  if (!send_) {
    co_return fail(host_has_gone());
  }
  if (waiting_.size() >= host_requests_max) {
    co_return fail(ErrorCode::unavailable,
                   std::to_string(waiting_.size()) + " requests already wait for the host");
  }
  const rpc::Id id(static_cast<std::int64_t>(++last_id_));
  io::OneShot<rpc::Message> answered;
  waiting_.emplace(id.json(), &answered);
  send_(rpc::request(id, method, params));
  const Milliseconds limit =
      method == mcp::method::roots_list ? host_answers_max : person_answers_max;
  Result<rpc::Message> answer = co_await io::with_deadline(limit, method, answered.wait());
  waiting_.erase(id.json());
  if (!answer && send_) {
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

void HostRequests::close() {
  send_ = {};
  for (const auto& [id, waiting] : waiting_) {
    waiting->set(fail(host_has_gone()));
  }
}

}  // namespace pi_mcp::host
