#include "mcp/client/in_flight.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "mcp/requests.h"
#include "mcp/unknown_outcome.h"

namespace pi_mcp::mcp {
namespace {

// A pipe that broke says less than how its server ended, which is known a moment later: the
// transport needs up to half of this. A link that takes nothing any more is over even when nobody
// says so.
constexpr Milliseconds end_wait_max{500};

bool may_ask_back(std::string_view method) {  // basic/patterns/mrtr
  return method == method::tools_call || method == method::prompts_get ||
         method == method::resources_read;
}

}  // namespace

template <class Params>
rpc::Outgoing InFlight::message(rpc::CallNumber number, const Params& params) {
  const Request& waiting = *calls_.find(number);
  const Call& call = waiting.call;
  const bool is_as_declared = call.declared && !opening_->envelope().empty();
  const std::string envelope = is_as_declared ? opening_->envelope_of(*call.declared) : "";
  const bool has_level =
      waiting.part == Part::rounds && !opening_->envelope().empty() && !is_as_declared;
  const std::string passed =
      has_level ? log_level_ + (call.meta.empty() ? "" : ",") + call.meta : std::string();
  return request(number,
                 call.method,
                 params,
                 {.progress = call.on_progress ? Progress::wanted : Progress::unwanted,
                  .passed = has_level ? passed : call.meta,
                  .envelope = is_as_declared ? envelope : opening_->envelope()});
}

Result<rpc::CallNumber> InFlight::send(Request&& request, const SharedText& params, TimePoint now) {
  if (given_up_) {
    return fail(being_stopped());
  }
  if (end_) {
    return fail(ended_error(ErrorCode::io, request.call.method));
  }
  const rpc::CallTimes times = request.call.times;
  if (request.part == Part::caller && may_ask_back(request.call.method)) {
    request.params.add(params);
  }
  const Result<rpc::CallNumber> number = calls_.open(std::move(request), times, now);
  if (number) {
    outbox_->add(action::Send{.message = message(*number, params), .number = *number});
  }
  return number;
}

std::optional<BegunCall> InFlight::begin(Call call, const rpc::Outgoing& params, TimePoint now) {
  const rpc::CallTimes times = call.times;
  Request request{.call = std::move(call)};
  if (may_ask_back(request.call.method)) {
    request.params = params;
  }
  const Result<rpc::CallNumber> number = calls_.open(std::move(request), times, now);
  if (!number) {
    return std::nullopt;
  }
  return BegunCall{.number = *number, .request = message(*number, params)};
}

bool InFlight::abandon(rpc::CallNumber number, std::string_view reason) {
  const Ended ended = calls_.abandon(number);
  if (!ended) {
    return false;
  }
  // The client must not cancel initialize (basic/utilities/cancellation).
  if (ended->call.method != method::initialize && !ended->not_sent) {
    outbox_->tell(cancelled(number, reason.empty() ? "cancelled by the client" : reason));
  }
  if (ended->progress) {
    limiter_.forget(number);
  }
  return true;
}

void InFlight::abandon_all() {
  std::vector<rpc::CallNumber> numbers;
  calls_.for_each([&numbers](rpc::CallNumber number, const Request& /*request*/) {
    numbers.push_back(number);
  });
  for (const rpc::CallNumber number : numbers) {
    abandon(number);
  }
}

Answered InFlight::take_answer(const rpc::Message& message) {
  Ended ended = calls_.settle_if(message.id(), [](const Request& request) {
    return request.part == Part::caller && !request.progress && !request.not_sent;
  });
  return ended ? std::move(ended->call.answered) : nullptr;
}

InFlight::Ended InFlight::tell_progress(Ended ended) {
  if (ended && ended->progress) {
    limiter_.forget(ended.number());
    const bool is_round = ended->part == Part::rounds;
    outbox_->add(action::Progress{.message = std::move(*ended->progress),
                                  .number = is_round ? ended->of : ended.number(),
                                  .on_progress = std::move(ended->call.on_progress)});
    ended->progress.reset();
  }
  return ended;
}

InFlight::Ended InFlight::on_not_sent(rpc::CallNumber number, const Error& error, TimePoint now) {
  Request* const request = calls_.find(number);
  if (request == nullptr || error.code() != ErrorCode::io || given_up_) {
    return calls_.abandon(number);
  }
  request->not_sent = std::make_unique<Error>(error);
  calls_.restart(number, end_wait_max, now);
  return {};
}

void InFlight::on_progress(rpc::Message notification, TimePoint now) {
  const rpc::CallNumber number = notification.params().find("progressToken").as_int().value_or(0);
  Request* const request = calls_.find(number);
  if (request == nullptr) {
    return;
  }
  calls_.progress(number, now);
  if (!request->call.on_progress) {
    return;
  }
  if (limiter_.take(number, now)) {
    outbox_->add(action::Progress{.message = std::move(notification), .number = number});
  } else {
    request->progress = std::make_unique<rpc::Message>(std::move(notification));
  }
}

// The limit of a start holds whatever trickles in.
void InFlight::on_answer_part(const rpc::Id& id, TimePoint now) {
  calls_.for_each([&](rpc::CallNumber number, const Request& request) {
    if (request.part != Part::opening && (!id.exists() || id.number() == number)) {
      calls_.progress(number, now);
    }
  });
}

void InFlight::extend_start(TimePoint now) {
  calls_.for_each([&](rpc::CallNumber number, const Request& request) {
    if (request.call.method == method::initialize) {
      calls_.progress(number, now);
    }
  });
}

std::vector<InFlight::Over> InFlight::expire(const std::string& preparation, TimePoint now) {
  std::vector<Over> over;
  for (auto& [ended, limit, total] : calls_.expire(now)) {
    if (ended->not_sent) {
      Error error = *std::move(ended->not_sent);
      over.push_back(
          {.request = std::move(ended), .error = std::move(error), .is_link_dead = true});
      continue;
    }
    const bool initialize = ended->call.method == method::initialize;
    const OverdueText text =
        overdue_text({.method = ended->call.method,
                      .limit = limit,
                      .total = total,
                      .preparation = initialize ? preparation : std::string()});
    if (!initialize) {
      outbox_->tell(cancelled(ended.number(), text.reason));
    }
    over.push_back({.request = tell_progress(std::move(ended)),
                    .error = Error(ErrorCode::timed_out, text.reason + "; " + text.advice)});
  }
  return over;
}

std::vector<InFlight::Over> InFlight::end(LinkEnd end) {
  end_ = std::move(end);
  std::vector<Over> over;
  for (Ended& ended : calls_.close()) {
    const auto code = ended->not_sent ? ErrorCode::io : ErrorCode::unavailable;
    Error error = ended_error(code, ended->call.method);
    over.push_back({.request = tell_progress(std::move(ended)), .error = std::move(error)});
  }
  return over;
}

Error InFlight::ended_error(ErrorCode code, std::string_view method) const {
  const std::string when = was_open_ ? "before it answered " : "during ";
  std::string text = ended_text(end_.value_or(LinkEnd()), when + std::string(method));
  if (end_ && end_->is_wanted && code == ErrorCode::unavailable && method == method::tools_call) {
    text += std::string("; ") + unknown_outcome;
  }
  return {code, std::move(text)};
}

void InFlight::on_time(TimePoint now) {
  for (const rpc::CallNumber number : limiter_.take_due(now)) {
    if (Request* const request = calls_.find(number)) {
      outbox_->add(action::Progress{.message = std::move(*request->progress), .number = number});
      request->progress.reset();
    }
  }
}

void InFlight::set_log_level(LogLevel level) {
  log_level_ = json::quoted(meta_key::log_level) + ":" + json::quoted(name_of(level));
}

std::vector<CallOfHost> InFlight::calls_of_hosts() {
  std::vector<CallOfHost> calls;
  calls.reserve(calls_.waiting());
  calls_.for_each([&calls](rpc::CallNumber number, const Request& request) {
    calls.push_back({.number = number, .host = request.call.host, .session = request.call.session});
  });
  return calls;
}

}  // namespace pi_mcp::mcp
