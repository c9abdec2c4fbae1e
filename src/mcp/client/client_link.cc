#include "mcp/client/client_link.h"

#include <algorithm>
#include <string>
#include <utility>

#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "mcp/requests.h"

namespace pi_mcp::mcp {

namespace {

// The params of a call that asks for a task, which is to be kept for as long as we may wait.
SharedText as_task(const SharedText& params, Duration keep) {
  const std::string_view inside = params.view().substr(params.view().find('{') + 1);
  return SharedText(R"({"task":{"ttl":)" +
                    std::to_string(std::chrono::ceil<Milliseconds>(keep).count()) + "}," +
                    std::string(inside));
}

// Of pages that its user has to open (2025-11-25, client/elicitation, "URL Elicitation Required").
bool asks_for_pages(const rpc::Message& answer) {
  return answer.kind() == rpc::Message::Kind::failure &&
         answer.error().at({"data", "elicitations"}).is_array();
}

bool asks_for_input(const rpc::Message& answer) {
  return answer.kind() == rpc::Message::Kind::result &&
         result_type(answer.result()) == ResultType::input_required;
}

}  // namespace

ClientLink::ClientLink(LinkOptions options)
    : options_(std::move(options)),
      opening_({.client = {.client_name = options_.client_name,
                           .client_version = options_.client_version,
                           .capabilities_json = capabilities_json(options_.features),
                           .tasks = options_.tasks},
                .protocol = options_.protocol,
                .may_ask_first = options_.has_headers,
                .known = options_.era,
                .has_session = options_.has_session}),
      in_flight_(&outbox_, &opening_),
      lists_({.has_headers = options_.has_headers,
              .times = {.quiet_max = options_.list_quiet_max,
                        .total_max = std::max(options_.list_quiet_max, options_.list_total_max)},
              .changed_pause = options_.list_changed_pause,
              .changes = options_.list_changes,
              .fresh_min = options_.list_fresh_min},
             &outbox_,
             &in_flight_),
      questions_({.server = options_.server,
                  .features = options_.features,
                  .roots_host = options_.roots_host,
                  .features_of = options_.features_of},
                 &outbox_,
                 &in_flight_),
      rounds_({.outbox = &outbox_,
               .in_flight = &in_flight_,
               .questions = &questions_,
               .lists = &lists_}),
      subscription_(options_.listen_pause) {
  in_flight_.set_log_level(log_level_until_said);
}

// Calls.

std::optional<BegunCall> ClientLink::begin(Call call, const rpc::Outgoing& params, TimePoint now) {
  if (!is_open() || traits().asks_by_result || options_.has_headers || lists_.has_task_tools()) {
    return std::nullopt;
  }
  call.declared.reset();  // nothing is said of it here
  std::optional<BegunCall> begun = in_flight_.begin(std::move(call), params, now);
  wake_ = std::min(wake_, in_flight_.next_wake());
  return begun;
}

Result<rpc::CallNumber> ClientLink::call(Call call, SharedText params, TimePoint now) {
  note_use(now);
  Result<rpc::CallNumber> number = start(std::move(call), std::move(params), now);
  follow_up(now);
  return number;
}

Result<rpc::CallNumber> ClientLink::start(Call&& call, SharedText params, TimePoint now) {
  if (traits().asks_by_result) {
    const auto tasks = options_.tasks ? Rounds::Tasks::by_server : Rounds::Tasks::none;
    return rounds_.begin(std::move(call), std::move(params), tasks, now);
  }
  call.declared.reset();  // nothing is said of it here
  if (options_.tasks && lists_.wants_task(call.method, params)) {
    params = as_task(params, call.times.total_max);
    return rounds_.begin(std::move(call), std::move(params), Rounds::Tasks::by_request, now);
  }
  return in_flight_.send({.call = std::move(call)}, params, now);
}

void ClientLink::cancel(rpc::CallNumber number, std::string_view reason, TimePoint now) {
  if (number == 0) {
    next_look_.reset();
    in_flight_.abandon_all();
    return;
  }
  outbox_.drop(number);
  if (!rounds_.cancel(number, reason, now) && in_flight_.abandon(number, reason)) {
    questions_.on_call_end(number);
  }
  follow_up(now);
}

void ClientLink::on_not_sent(rpc::CallNumber number, const Error& error, TimePoint now) {
  if (InFlight::Ended request = in_flight_.on_not_sent(number, error, now)) {
    finish(std::move(request), fail(error), now);
  }
  follow_up(now);
}

// Answers.

Answered ClientLink::take_answer(const rpc::Message& message) {
  const bool is_answer =
      message.kind() == rpc::Message::Kind::result || message.kind() == rpc::Message::Kind::failure;
  return is_answer && questions_.is_empty() && !asks_for_input(message) && !asks_for_pages(message)
             ? in_flight_.take_answer(message)
             : nullptr;
}

void ClientLink::on_message(rpc::Message message, TimePoint now) {
  switch (message.kind()) {
    case rpc::Message::Kind::result:
    case rpc::Message::Kind::failure:
      if (InFlight::Ended request = in_flight_.settle(message.id())) {
        finish(std::move(request), std::move(message), now);
      }
      break;
    case rpc::Message::Kind::request:
      if (phase_ == Phase::opening && is_echo(message.method())) {
        return on_call_failure(message.id(), echo_error(), now);
      }
      if (traits().asks_by_result) {  // there are none; one that asks all the same may wait
        outbox_.tell(rpc::failure(message.id(),
                                  rpc::error_code::method_not_found,
                                  "servers send no requests in " + std::string(traits().name)));
      } else if (message.method() == method::ping) {
        outbox_.tell(rpc::result(message.id(), rpc::Outgoing("{}")));
      } else {
        questions_.on_request(message, now);
      }
      break;
    case rpc::Message::Kind::notification:
      on_notification(std::move(message), now);
      break;
    case rpc::Message::Kind::batch:
      break;  // links to servers give none
  }
  follow_up(now);
}

void ClientLink::on_call_failure(const rpc::Id& id, Error error, TimePoint now) {
  if (InFlight::Ended request = in_flight_.settle(id)) {
    finish(std::move(request), fail(std::move(error)), now);
  }
  follow_up(now);
}

// Hands the answer to what has waited for it.
void ClientLink::finish(InFlight::Ended request, Result<rpc::Message> answer, TimePoint now) {
  questions_.on_call_end(request.number());
  if (answer && asks_for_pages(*answer)) {
    questions_.note_pages(answer->error(), request->call.session);
  }
  switch (request->part) {
    case InFlight::Part::caller:
      if (answer && asks_for_input(*answer) && request->params.bytes() > 0) {
        rounds_.take_over(request.number(), std::move(*request), *std::move(answer), now);
        break;
      }
      outbox_.complete(request.number(), request->call, std::move(answer));
      break;
    case InFlight::Part::opening:
      on_opening_answer(request->call.method, std::move(answer), now);
      break;
    case InFlight::Part::list:
      lists_.on_page(static_cast<ListKind>(request->of), std::move(answer), now);
      break;
    case InFlight::Part::rounds:
      rounds_.on_answer(request->of, std::move(answer), now);
      break;
    case InFlight::Part::subscription:
      listening_ = 0;
      if (auto why_over = subscription_.on_answer(answer, now)) {
        outbox_.add(action::Note{.level = log::Level::info, .text = *std::move(why_over)});
      }
      break;
  }
}

void ClientLink::on_end(LinkEnd end, TimePoint now) {
  if (phase_ == Phase::ended) {
    return;
  }
  phase_ = Phase::ended;
  next_look_.reset();
  lists_.on_end();
  for (InFlight::Over& over : in_flight_.end(std::move(end))) {
    finish(std::move(over.request), fail(std::move(over.error)), now);
  }
  if (std::exchange(is_looking_, false)) {
    end_opening(fail(in_flight_.ended_error(ErrorCode::unavailable, method::server_discover)));
  }
  rounds_.on_end(now);
  follow_up(now);
  for (const ListingReader::Waiter& waiter : lists_.take_waiting()) {
    if (waiter.refreshed) {
      outbox_.add(
          action::TellRefreshed{.refreshed = waiter.refreshed, .result = fail(being_stopped())});
    }
  }
  outbox_.add(action::LinkEnded{});
}

// Opening.

void ClientLink::open(TimePoint deadline, TimePoint now) {
  open_deadline_ = deadline;
  start_ = options_.look ? options_.look() : StartLook();
  // A short limit needs closer looks: work must be seen before it passes.
  look_pause_ = std::min<Duration>(options_.start_look_pause, (deadline - now) / 4);
  next_look_ = now + look_pause_;
  ask_opening(now);
  follow_up(now);
}

void ClientLink::ask_opening(TimePoint now) {
  const Opening::Ask ask = opening_.ask();
  auto left = std::chrono::ceil<Milliseconds>(open_deadline_ - now);
  if (ask.has_alternative) {
    left = std::min(options_.discover_max, left / 2);
  }
  const Milliseconds most =
      start_.preparation.empty() ? left : std::max(left, options_.install_max);
  const Result<rpc::CallNumber> sent = in_flight_.send(
      {.call = {.method = std::string(ask.method), .times = {.quiet_max = left, .total_max = most}},
       .part = InFlight::Part::opening},
      ask.params,
      now);
  if (!sent) {
    end_opening(fail(sent.error()));
  }
}

void ClientLink::on_opening_answer(const std::string& method,
                                   Result<rpc::Message> answer,
                                   TimePoint now) {
  const Result<Opening::Next> next =
      answer ? opening_.on_answer(*answer) : opening_.on_error(answer.error());
  if (!next) {
    end_opening(fail(answer ? Error(next.error()).while_doing(method) : next.error()));
    return;
  }
  go_on_opening(*next, now);
}

void ClientLink::on_session_look(bool wants_session, TimePoint now) {
  if (std::exchange(is_looking_, false)) {
    go_on_opening(opening_.on_look(wants_session).value_or(Opening::Next::ready), now);
  }
  follow_up(now);
}

void ClientLink::go_on_opening(Opening::Next next, TimePoint now) {
  if (next == Opening::Next::ask) {
    ask_opening(now);
    return;
  }
  if (next == Opening::Next::look) {
    is_looking_ = true;
    outbox_.add(action::LookForSession{});
    return;
  }
  if (next == Opening::Next::announce) {
    outbox_.tell(rpc::notification(method::initialized, SharedText()));
  }
  lists_.start(opening_.server(), traits(), opening_.era(), now);
}

void ClientLink::end_opening(Result<void> opened) {
  next_look_.reset();
  if (opened) {
    phase_ = Phase::open;
    in_flight_.opened();
  }
  outbox_.add(action::Opened{std::move(opened)});
}

// Tells what a start does that takes long, and gives an installation that goes on more time.
void ClientLink::watch_start(TimePoint now) {
  if (!next_look_) {
    return;
  }
  if (!start_.preparation.empty()) {
    StartLook look = options_.look();
    if (look.work != start_.work || look.preparation.empty()) {
      in_flight_.extend_start(now);
    }
    start_ = std::move(look);
  }
  if (now >= *next_look_) {
    next_look_ = now + look_pause_;
    outbox_.add(action::Starting{start_.preparation});
  }
}

// What the server says by itself, and what the host answers.

void ClientLink::on_notification(rpc::Message notification, TimePoint now) {
  if (notification.method() == method::progress) {
    in_flight_.on_progress(std::move(notification), now);
  } else if (notification.method() == method::log_message) {
    // Of whose call it speaks, only its stream says, or that nobody else has calls.
    const void* const session =
        owner_of(notification.during(), in_flight_.calls_of_hosts()).session;
    outbox_.add(action::LogMessage{.notification = std::move(notification), .session = session});
  } else if (notification.method() == method::cancelled) {
    questions_.on_cancelled(cancelled_request(notification.params()), now);
  } else if (notification.method() == method::resource_updated) {
    outbox_.add(action::ResourceUpdated{std::move(notification)});
  } else if (notification.method() == method::elicitation_complete) {
    const std::optional<const void*> session = questions_.session_of_page(notification.params());
    if (session && completions_.take(now)) {
      outbox_.add(action::ElicitationComplete{.notification = std::move(notification),
                                              .session = *session});
    }
  } else if (const auto list = changed_list(notification.method())) {
    lists_.on_changed(*list, now);
  }
}

void ClientLink::on_host_answer(QuestionNumber question,
                                Result<rpc::Message> answer,
                                TimePoint now) {
  if (const auto rounds = questions_.on_host_answer(question, answer, now)) {
    rounds_.on_host(*rounds, std::move(answer), now);
  }
  follow_up(now);
}

void ClientLink::tell_roots_changed() {
  if (options_.features.roots_list_changed && is_open() && traits().takes_notices) {
    outbox_.tell(rpc::notification(method::roots_list_changed, SharedText()));
  }
}

void ClientLink::want_log_level(LogLevel level, TimePoint now) {
  if (log_level_ == level) {
    return;
  }
  log_level_ = level;
  in_flight_.set_log_level(level);
  if (!is_open() || !traits().has_handshake || !opening_.server().capabilities.logging) {
    return;
  }
  constexpr auto ignored = [](Result<rpc::Message>&&) {
  };
  (void)in_flight_.send({.call = {.method = std::string(method::logging_set_level),
                                  .times = {.quiet_max = options_.list_quiet_max,
                                            .total_max = options_.list_quiet_max},
                                  .answered = ignored}},
                        SharedText(R"({"level":)" + json::quoted(name_of(level)) + "}"),
                        now);  // a link that takes nothing is about to end
  follow_up(now);
}

// Time.

void ClientLink::on_time(TimePoint now) {
  watch_start(now);
  for (InFlight::Over& over : in_flight_.expire(start_.preparation, now)) {
    finish(std::move(over.request), fail(std::move(over.error)), now);
    if (over.is_link_dead) {
      outbox_.add(action::LinkDead{});
    }
  }
  in_flight_.on_time(now);
  lists_.on_time(now);
  if (phase_ == Phase::open && subscription_.take_due(now)) {
    lists_.on_all_changed(now);  // nobody told what happened meanwhile
    listen(now);
  }
  rounds_.on_time(now);
  follow_up(now);
}

// Tells what came of a reading, and sets the time to wake.
void ClientLink::follow_up(TimePoint now) {
  while (auto outcome = lists_.take_outcome()) {
    take_outcome(*std::move(outcome), now);
    lists_.on_time(now);
  }
  wake_ = phase_ == Phase::ended ? TimePoint::max()
                                 : std::min({in_flight_.next_wake(),
                                             lists_.next_wake(),
                                             rounds_.next_wake(),
                                             subscription_.next_wake(),
                                             next_look_.value_or(TimePoint::max())});
}

}  // namespace pi_mcp::mcp
