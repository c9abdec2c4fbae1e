#include "servers/link/forwarded_requests.h"

#include <utility>

#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"

namespace pi_mcp::servers {
namespace {

std::string too_much() {
  constexpr std::size_t per_second = std::chrono::seconds(1) / forwarded_rate.interval;
  return "too many requests: " + std::to_string(forwarded_rate.burst) +
         " at once are carried to the host, then " + std::to_string(per_second) + " a second";
}

Error nobody_to_ask(std::string_view method) {
  return {ErrorCode::unavailable,
          method == mcp::method::roots_list
              ? "there is no single host to ask"
              : std::string(method) + " is carried to a host during one of its calls only"};
}

}  // namespace

ForwardedRequests::ForwardedRequests(const io::Executor& executor, Options options)
    : options_(std::move(options)), tasks_(executor) {}

// A person or a model is asked only by whom a call has given the word: anything else comes out of
// nowhere, at any time, and in front of somebody who did nothing.
void ForwardedRequests::begin(rpc::Message request,
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
  if (forwarded_.contains(id)) {
    return refuse(rpc::error_code::invalid_request, "this request id is in use");
  }
  if (forwarded_.size() >= forwarded_requests_max) {
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
  Forwarded& forwarded = forwarded_[id];
  forwarded.calls = std::move(owner.calls);
  const rpc::Id request_id = request.id();
  forwarded.task = tasks_.spawn(
      "carry a request",
      carry(std::move(request), std::move(host), *turn),
      [this, request_id](const std::string& what) {
        end(request_id,
            rpc::failure(
                request_id, rpc::error_code::internal_error, "an error inside pi-mcp: " + what));
      });
}

io::Task<Result<rpc::Message>> ForwardedRequests::ask(const rpc::Message* request,
                                                      std::shared_ptr<HostLink> host) {
  if (const std::optional<std::string> page = mcp::page_of(request->method(), request->params())) {
    const Result<void> checked = co_await io::check_page(*page, options_.pages);
    if (!checked) {
      co_return fail(checked.error());
    }
  }
  co_return co_await host->ask(
      request->method(),
      mcp::forwarded_params(
          request->method(), request->params(), options_.server, host->asker_shown()));
}

io::Task<Result<void>> ForwardedRequests::wait_for_turn() {
  const std::optional<TimePoint> turn = rate_.reserve(io::now());
  if (!turn) {
    co_return fail(ErrorCode::unavailable, too_much());
  }
  co_return *turn > io::now() ? co_await io::sleep_for(*turn - io::now()) : Result<void>();
}

io::Task<void> ForwardedRequests::carry(rpc::Message request,
                                        std::shared_ptr<HostLink> host,
                                        TimePoint turn) {
  Result<rpc::Message> answer = fail(ErrorCode::cancelled, "cancelled");
  if (turn <= io::now() || co_await io::sleep_for(turn - io::now())) {
    answer = co_await ask(&request, std::move(host));
  }
  end(request.id(),
      answer ? mcp::forwarded_answer(request.id(), *answer)
             : mcp::forwarded_failure(request.id(), request.method(), answer.error()));
}

void ForwardedRequests::end(const rpc::Id& id, rpc::Outgoing answer) {
  const auto found = forwarded_.find(id.json());
  if (found == forwarded_.end()) {
    return;
  }
  const Forwarded forwarded = std::move(found->second);
  forwarded_.erase(found);
  for (const rpc::CallNumber number : forwarded.calls) {
    options_.on_hold(number, false);
  }
  if (!forwarded.is_cancelled) {
    options_.answer(std::move(answer));
  }
}

void ForwardedRequests::on_call_end(rpc::CallNumber number) {
  for (auto& [id, forwarded] : forwarded_) {
    if (std::erase(forwarded.calls, number) > 0 && forwarded.calls.empty()) {
      tasks_.cancel(forwarded.task);
    }
  }
}

void ForwardedRequests::on_cancelled(const rpc::Id& id) {
  const auto found = forwarded_.find(id.json());
  if (found != forwarded_.end()) {
    found->second.is_cancelled = true;
    tasks_.cancel(found->second.task);
  }
}

io::Task<void> ForwardedRequests::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::servers
