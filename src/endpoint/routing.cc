#include "endpoint/routing.h"

#include <utility>

#include "endpoint/replies.h"

namespace pi_mcp::endpoint {
namespace {

using Outcome = replicas::Forwarder::Outcome;
using Where = replicas::Whereabouts::Where;

// Each time somebody else has it by then.
constexpr int places_max = 4;

io::HttpReply retry(int status, std::string_view why) {
  return refused(status, why, {{.name = "Retry-After", .value = "1"}});
}

}  // namespace

Routing::Routing(const io::Executor& executor, replicas::Forwarder& forwarder)
    : forwarder_(forwarder), tasks_(executor) {}

// Whoever has gone waits for nothing.
void Routing::spawn(const std::shared_ptr<WatchedExchange>& exchange, io::Task<void> task) {
  const io::TaskGroup::TaskId id =
      tasks_.spawn("asking another replica", std::move(task), io::log_only);
  exchange->when_gone([this, id] { tasks_.cancel(id); });
}

void Routing::of_session(Routed routed, std::string nonce) {
  const std::shared_ptr<WatchedExchange> exchange = routed.exchange;
  spawn(exchange, route(std::move(routed), std::move(nonce)));
}

void Routing::of_call(Routed routed, std::string url) {
  const std::shared_ptr<WatchedExchange> exchange = routed.exchange;
  spawn(exchange, pass_on(std::move(routed), std::move(url)));
}

void Routing::count(const Result<Outcome>& outcome) {
  if (!outcome) {
    forwarded_.failed += outcome.error().code() != ErrorCode::cancelled ? 1 : 0;
    return;
  }
  switch (*outcome) {
    case Outcome::answered:
      ++forwarded_.answered;
      break;
    case Outcome::gone:
      ++forwarded_.gone;
      break;
    case Outcome::misplaced:
      ++forwarded_.misplaced;
      break;
  }
}

// nullopt: the request is over, answered or not.
io::Task<std::optional<Outcome>> Routing::forward(const Routed* routed, std::string url) {
  Result<Outcome> outcome =
      co_await forwarder_.forward(routed->exchange, std::string(routed->body.view()), url);
  count(outcome);
  if (outcome && *outcome != Outcome::answered) {
    co_return *outcome;
  }
  if (!outcome && outcome.error().code() != ErrorCode::cancelled) {
    routed->exchange->reply(refused(502,
                                    "the replica that has this session gave no answer (" +
                                        outcome.error().message() +
                                        "); what was asked may have been done"));
  }
  co_return std::nullopt;
}

io::Task<void> Routing::route(Routed routed, std::string nonce) {
  std::string gone;
  for (int place = 0; place < places_max; ++place) {
    const Result<replicas::Whereabouts> found = co_await owners_->find(nonce, gone);
    if (!found) {
      if (found.error().code() != ErrorCode::cancelled) {
        routed.exchange->reply(
            retry(503, "which replica has this session is not known: " + found.error().message()));
      }
      co_return;
    }
    if (found->where == Where::here) {
      routed.exchange->when_gone(nullptr);
      co_return routed.serve_here();
    }
    if (found->where == Where::ended) {
      co_return routed.exchange->reply(
          refused(404, "this session has ended; begin one with initialize"));
    }
    if (routed.is_forwarded) {
      co_return routed.exchange->reply(
          refused(replicas::misplaced_status, "another replica has this session"));
    }
    const std::optional<Outcome> outcome = co_await forward(&routed, found->url);
    if (!outcome) {
      co_return;
    }
    owners_->forget(nonce);
    gone = *outcome == Outcome::gone ? found->sealed : "";
  }
  routed.exchange->reply(retry(503, "this session has no place just now; try again"));
}

io::Task<void> Routing::pass_on(Routed routed, std::string url) {
  const std::optional<Outcome> outcome = co_await forward(&routed, std::move(url));
  if (outcome) {  // which then says that the call is no longer known
    routed.exchange->when_gone(nullptr);
    routed.serve_here();
  }
}

io::Task<void> Routing::close() {
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::endpoint
