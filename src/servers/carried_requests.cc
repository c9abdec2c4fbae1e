#include "servers/carried_requests.h"

#include <utility>

#include "io/clock.h"
#include "io/sleep.h"
#include "mcp/carried_request.h"
#include "mcp/methods.h"

namespace pi_mcp::servers {
namespace {

std::string too_much() {
  constexpr std::size_t per_second = std::chrono::seconds(1) / carried_rate.interval;
  return "too many requests: " + std::to_string(carried_rate.burst) +
         " at once are carried to the host, then " + std::to_string(per_second) + " a second";
}

Error nobody_to_ask(std::string_view method) {
  return {ErrorCode::unavailable,
          method == mcp::method::roots_list
              ? "there is no single host to ask"
              : std::string(method) + " is carried to a host during one of its calls only"};
}

}  // namespace

CarriedRequests::CarriedRequests(const io::Executor& executor, Options options)
    : options_(std::move(options)), tasks_(executor) {}

// A person or a model is asked only by whom a call has given the word: anything else comes out of
// nowhere, at any time, and in front of somebody who did nothing.
void CarriedRequests::begin(rpc::Message request,
                            std::shared_ptr<HostLink> host,
                            RequestOwner owner) {
  const auto refuse = [&](std::int64_t code, const std::string& why) {
    options_.answer(rpc::failure(request.id(), code, why));
  };
  if (const auto refusal = mcp::refusal_of(request.method(), request.params(), options_.features)) {
    return refuse(refusal->code, refusal->message);
  }
  if (!host && owner.problem.empty() && request.method() == mcp::method::roots_list &&
      options_.host) {
    host = options_.host();
  }
  if (!host) {
    return refuse(
        rpc::error_code::invalid_request,
        owner.problem.empty() ? nobody_to_ask(request.method()).message() : owner.problem);
  }
  const std::string id = request.id().json();
  if (carried_.contains(id)) {
    return refuse(rpc::error_code::invalid_request, "this request id is in use");
  }
  if (carried_.size() >= carried_requests_max) {
    return refuse(rpc::error_code::internal_error,
                  "too many requests of this server are under way");
  }
  const std::optional<TimePoint> turn = rate_.reserve(io::now());
  if (!turn) {
    return refuse(rpc::error_code::internal_error, too_much());
  }
  for (const rpc::CallNumber number : owner.calls) {
    options_.on_hold(number, true);
  }
  Carried& carried = carried_[id];
  carried.calls = std::move(owner.calls);
  const rpc::Id request_id = request.id();
  carried.task = tasks_.spawn(
      "carry a request",
      carry(std::move(request), std::move(host), *turn),
      [this, request_id](const std::string& what) {
        end(request_id,
            rpc::failure(
                request_id, rpc::error_code::internal_error, "an error inside pi-mcp: " + what));
      });
}

io::Task<Result<rpc::Message>> CarriedRequests::ask(const rpc::Message* request,
                                                    std::shared_ptr<HostLink> host) {
  if (const std::optional<std::string> page = mcp::page_of(request->method(), request->params())) {
    const Result<void> checked = co_await io::check_page(*page, options_.pages);
    if (!checked) {
      co_return fail(checked.error());
    }
  }
  co_return co_await host->ask(
      request->method(),
      mcp::carried_params(
          request->method(), request->params(), options_.server, host->asker_shown()));
}

io::Task<Result<void>> CarriedRequests::wait_for_turn() {
  const std::optional<TimePoint> turn = rate_.reserve(io::now());
  if (!turn) {
    co_return fail(ErrorCode::unavailable, too_much());
  }
  co_return *turn > io::now() ? co_await io::sleep_for(*turn - io::now()) : Result<void>();
}

io::Task<void> CarriedRequests::carry(rpc::Message request,
                                      std::shared_ptr<HostLink> host,
                                      TimePoint turn) {
  Result<rpc::Message> answer = fail(ErrorCode::cancelled, "cancelled");
  if (turn <= io::now() || co_await io::sleep_for(turn - io::now())) {
    answer = co_await ask(&request, std::move(host));
  }
  end(request.id(),
      answer ? mcp::carried_answer(request.id(), *answer)
             : mcp::carried_failure(request.id(), request.method(), answer.error()));
}

void CarriedRequests::end(const rpc::Id& id, rpc::Outgoing answer) {
  const auto found = carried_.find(id.json());
  if (found == carried_.end()) {
    return;
  }
  const Carried carried = std::move(found->second);
  carried_.erase(found);
  for (const rpc::CallNumber number : carried.calls) {
    options_.on_hold(number, false);
  }
  if (!carried.is_cancelled) {
    options_.answer(std::move(answer));
  }
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
