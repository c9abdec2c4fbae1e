#include "servers/carried_requests.h"

#include <utility>

#include "mcp/carried_request.h"

namespace pi_mcp::servers {

CarriedRequests::CarriedRequests(const io::Executor& executor, Options options)
    : options_(std::move(options)), tasks_(executor) {}

void CarriedRequests::begin(rpc::Message request,
                            std::shared_ptr<HostLink> host,
                            std::vector<rpc::CallNumber> calls) {
  const std::string id = request.id().json();
  const bool is_repeated = carried_.contains(id);
  if (is_repeated || carried_.size() >= carried_requests_max) {
    options_.answer(rpc::failure(
        request.id(),
        is_repeated ? rpc::error_code::invalid_request : rpc::error_code::internal_error,
        is_repeated ? "this request id is in use"
                    : "too many requests of this server are under way"));
    return;
  }
  for (const rpc::CallNumber number : calls) {
    options_.on_hold(number, true);
  }
  Carried& carried = carried_[id];
  carried.calls = std::move(calls);
  carried.task = tasks_.spawn("carry a request", carry(std::move(request), std::move(host)));
}

io::Task<Result<rpc::Message>> CarriedRequests::ask(const rpc::Message* request,
                                                    std::shared_ptr<HostLink> host) {
  if (const std::optional<std::string> page = mcp::page_of(request->method(), request->params())) {
    const Result<void> checked = co_await io::check_page(*page, options_.pages);
    if (!checked) {
      co_return fail(checked.error());
    }
  }
  co_return co_await host->ask(request->method(), mcp::carried_params(*request, options_.server));
}

io::Task<void> CarriedRequests::carry(rpc::Message request, std::shared_ptr<HostLink> host) {
  const Result<rpc::Message> answer = co_await ask(&request, std::move(host));
  const auto found = carried_.find(request.id().json());
  const Carried carried = std::move(found->second);
  carried_.erase(found);
  for (const rpc::CallNumber number : carried.calls) {
    options_.on_hold(number, false);
  }
  if (carried.is_cancelled) {
    co_return;
  }
  options_.answer(answer ? mcp::carried_answer(request.id(), *answer)
                         : mcp::carried_failure(request.id(), request.method(), answer.error()));
}

void CarriedRequests::on_call_end(rpc::CallNumber number) {
  for (auto& [id, carried] : carried_) {
    if (std::erase(carried.calls, number) > 0 && carried.calls.empty()) {
      tasks_.cancel(carried.task);
    }
  }
}

void CarriedRequests::on_cancelled(const rpc::Id& id) {
  const auto found = carried_.find(id.json());
  if (found != carried_.end()) {
    found->second.is_cancelled = true;
    tasks_.cancel(found->second.task);
  }
}

io::Task<void> CarriedRequests::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::servers
