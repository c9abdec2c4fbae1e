// The requests that we have sent to a server and whose answers are due, with everything that is
// known of each: for whom it is, its deadlines, its newest progress. Pure: no I/O; time is an
// argument.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client/actions.h"
#include "mcp/client/link_text.h"
#include "mcp/client/opening.h"
#include "mcp/client/progress_limiter.h"
#include "mcp/client/request_owner.h"
#include "mcp/log_level.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// A request that is in flight as soon as it is sent.
struct BegunCall {
  rpc::CallNumber number = 0;
  rpc::Outgoing request;
};

class InFlight {
 public:
  // What an answer is for.
  enum class Part : std::uint8_t { caller, opening, list, rounds, subscription };
  struct Request {
    Call call;
    Part part = Part::caller;
    std::int64_t of = 0;  // the ListKind; the number of the rounds
    // Those of a caller's request that may be answered with questions.
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    rpc::Outgoing params = {};

    std::unique_ptr<rpc::Message> progress = nullptr;  // the newest, not told yet
    std::unique_ptr<Error> not_sent = nullptr;         // why; how the link ended may say more
  };
  using Ended = rpc::CallTable<Request>::Ended;

  // `opening` says how requests look. Both outlive this.
  InFlight(Outbox* outbox, const Opening* opening) : outbox_(outbox), opening_(opening) {}

  // io: the link is over, or about to be. unavailable: too many wait. Then `request` is as it was.
  Result<rpc::CallNumber> send(Request&& request, const SharedText& params, TimePoint now);
  // The same without an action: the message is to be sent now. nullopt: any of the errors.
  std::optional<BegunCall> begin(Call call, const rpc::Outgoing& params, TimePoint now);
  // It was not sent, or its answer changes nothing; nobody is told.
  void forget(rpc::CallNumber number) { (void)calls_.abandon(number); }
  // Nobody waits for it any more: the server is told, with the reason if there is one. False: it
  // was over.
  bool abandon(rpc::CallNumber number, std::string_view reason = {});
  void abandon_all();

  // The caller whom `message` answers, if that has nothing to tell but the answer; else null.
  Answered take_answer(const rpc::Message& message);
  // The request that an answer is for, if there is one. Its progress has been told.
  Ended settle(const rpc::Id& id) { return tell_progress(calls_.settle(id)); }
  // The link did not take it. What comes back is over with that error, the others soon.
  Ended on_not_sent(rpc::CallNumber number, const Error& error, TimePoint now);
  void on_progress(rpc::Message notification, TimePoint now);
  // Of that call; without an id, of any.
  void on_answer_part(const rpc::Id& id, TimePoint now);
  // That of the call `number`; null: the call does not wait any more.
  [[nodiscard]] const OnProgress* listener(rpc::CallNumber number) const {
    const Request* const request = calls_.find(number);
    return request == nullptr ? nullptr : &request->call.on_progress;
  }
  // The server is at work: its answer to initialize may take longer.
  void extend_start(TimePoint now);

  struct Over {
    Ended request;
    Error error;
    bool is_link_dead = false;
  };
  // Requests whose time is over; servers are told. `preparation`: before the server itself.
  std::vector<Over> expire(const std::string& preparation, TimePoint now);
  // From now on nothing is sent; all requests are over.
  std::vector<Over> end(LinkEnd end);
  void give_up() { given_up_ = true; }
  // Calls in several rounds say from now on that they want messages of this level and above.
  void set_log_level(LogLevel level);
  // The link has been open: that is said in errors.
  void opened() { was_open_ = true; }
  [[nodiscard]] Error ended_error(ErrorCode code, std::string_view method) const;
  [[nodiscard]] bool is_given_up() const { return given_up_; }

  void on_time(TimePoint now);
  [[nodiscard]] TimePoint next_wake() const {
    return std::min(calls_.next_deadline().value_or(TimePoint::max()), limiter_.next_wake());
  }
  // Calls, hosts and deadlines.
  [[nodiscard]] rpc::CallTable<Request>& calls() { return calls_; }
  [[nodiscard]] const rpc::CallTable<Request>& calls() const { return calls_; }
  [[nodiscard]] std::vector<CallOfHost> calls_of_hosts();

 private:
  template <class Params>
  rpc::Outgoing message(rpc::CallNumber number, const Params& params);
  Ended tell_progress(Ended ended);

  Outbox* outbox_;
  const Opening* opening_;
  rpc::CallTable<Request> calls_;
  ProgressLimiter limiter_;
  bool given_up_ = false;
  bool was_open_ = false;
  std::optional<LinkEnd> end_;
  std::string log_level_;  // a member of _meta
};

}  // namespace pi_mcp::mcp
