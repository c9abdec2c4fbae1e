#include "mcp/client/rounds_table.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/methods.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {
namespace {

constexpr std::size_t news_units_max = 500;  // of what a task says of itself

}  // namespace

Result<rpc::CallNumber> RoundsTable::send(Rounds& rounds,
                                          rpc::CallNumber number,
                                          const Rounds::Request& request,
                                          TimePoint now) {
  const Call& call = rounds.call();
  return uses_.in_flight->send({.call = {.method = std::string(request.method),
                                         .times = rounds.times(now),
                                         .on_progress = call.on_progress,
                                         .host = call.host,
                                         .session = call.session,
                                         .meta = call.meta,
                                         .declared = call.declared},
                                .part = InFlight::Part::rounds,
                                .of = number},
                               request.params,
                               now);
}

Result<rpc::CallNumber> RoundsTable::begin(Call call,
                                           SharedText params,
                                           Rounds::Tasks tasks,
                                           TimePoint now) {
  Rounds rounds(std::move(call), std::move(params), tasks, now);
  const Result<rpc::CallNumber> number = send(rounds, 0, rounds.begin(), now);
  if (number) {
    uses_.in_flight->calls().find(*number)->of = *number;
    under_way_.emplace(*number, UnderWay{.rounds = std::move(rounds), .request = *number});
  }
  return number;
}

void RoundsTable::take_over(rpc::CallNumber number,
                            InFlight::Request&& request,
                            rpc::Message answer,
                            TimePoint now) {
  Rounds rounds(
      std::move(request.call), SharedText(request.params.flat()), Rounds::Tasks::none, now);
  under_way_.emplace(number, UnderWay{.rounds = std::move(rounds)});
  on_answer(number, std::move(answer), now);
}

bool RoundsTable::cancel(rpc::CallNumber number, std::string_view reason, TimePoint now) {
  const auto found = under_way_.extract(number);
  if (found.empty()) {
    return false;
  }
  uses_.in_flight->abandon(found.mapped().request, reason);
  uses_.questions->on_call_end(number);
  cancel_task(found.mapped().rounds, now);
  return true;
}

void RoundsTable::on_answer(rpc::CallNumber number, Result<rpc::Message> answer, TimePoint now) {
  if (const auto found = under_way_.find(number); found != under_way_.end()) {
    found->second.request = 0;
    go_on(number, found->second.rounds.on_answer(std::move(answer), now), now);
  }
}

void RoundsTable::on_host(rpc::CallNumber number, Result<rpc::Message> answer, TimePoint now) {
  if (const auto found = under_way_.find(number); found != under_way_.end()) {
    go_on(number, found->second.rounds.on_host(std::move(answer)), now);
  }
}

void RoundsTable::on_lists(rpc::CallNumber number, bool were_read, TimePoint now) {
  if (const auto found = under_way_.find(number); found != under_way_.end()) {
    go_on(number, found->second.rounds.on_lists(were_read), now);
  }
}

void RoundsTable::on_time(TimePoint now) {
  std::vector<rpc::CallNumber> due;
  for (const auto& [number, call] : under_way_) {
    if (call.rounds.next_wake() <= now) {
      due.push_back(number);
    }
  }
  std::ranges::sort(due);
  for (const rpc::CallNumber number : due) {
    go_on(number, under_way_.at(number).rounds.on_time(now), now);
  }
}

TimePoint RoundsTable::next_wake() const {
  TimePoint wake = TimePoint::max();
  for (const auto& [number, call] : under_way_) {
    wake = std::min(wake, call.rounds.next_wake());
  }
  return wake;
}

void RoundsTable::on_end(TimePoint now) {
  while (!under_way_.empty()) {
    auto& [number, call] = *under_way_.begin();
    Error error = uses_.in_flight->ended_error(ErrorCode::unavailable, call.rounds.call().method);
    uses_.questions->on_call_end(number);
    go_on(rpc::CallNumber(number), Rounds::Over{fail(std::move(error))}, now);
  }
}

void RoundsTable::go_on(rpc::CallNumber number, Rounds::Step step, TimePoint now) {
  std::optional<Rounds::Step> next = std::move(step);
  while (next) {
    next = take(number, *std::move(next), now);
  }
}

// What follows at once; nullopt: nothing, or something is waited for.
std::optional<Rounds::Step> RoundsTable::take(rpc::CallNumber number,
                                              Rounds::Step step,
                                              TimePoint now) {
  UnderWay& call = under_way_.at(number);
  tell_news(number, call);
  if (const auto* const request = std::get_if<Rounds::Request>(&step)) {
    const Result<rpc::CallNumber> sent = send(call.rounds, number, *request, now);
    call.request = sent.value_or(0);
    return sent ? std::nullopt : std::optional(call.rounds.on_answer(fail(sent.error()), now));
  }
  if (const auto* const ask = std::get_if<Rounds::Ask>(&step)) {
    const Result<void> asked =
        uses_.questions->on_question(ask->question, call.rounds.call(), number, now);
    return asked ? std::nullopt : std::optional(call.rounds.on_host(fail(asked.error())));
  }
  if (std::holds_alternative<Rounds::ReadLists>(step)) {
    if (uses_.in_flight->is_given_up()) {
      return call.rounds.on_lists(false);
    }
    uses_.lists->refresh({.refreshed = nullptr, .rounds = number}, now);
  } else if (auto* const over = std::get_if<Rounds::Over>(&step)) {
    if (!over->answer) {  // the server may stop working on it
      cancel_task(call.rounds, now);
    }
    Result<rpc::Message> answer = std::move(over->answer);
    if (answer && !call.rounds.call().declared) {
      answer = without_envelope(*std::move(answer));
    }
    uses_.outbox->complete(number, call.rounds.call(), std::move(answer));
    under_way_.erase(number);
  }
  return std::nullopt;
}

// What a task is at, as progress of the call; a task has no other.
void RoundsTable::tell_news(rpc::CallNumber number, UnderWay& call) {
  const std::optional<std::string> news = call.rounds.take_news();
  if (!news || !call.rounds.call().on_progress) {
    return;
  }
  json::Writer params;
  params.begin_object().member("progressToken", number).member("progress", ++call.news);
  params.member("message", text::cut(text::printable(*news), news_units_max)).end_object();
  Result<rpc::Message> progress =
      rpc::Message::parse(rpc::notification(method::progress, SharedText(params.take())).flat());
  if (progress) {
    uses_.outbox->add(action::Progress{.message = *std::move(progress),
                                       .number = number,
                                       .on_progress = call.rounds.call().on_progress});
  }
}

void RoundsTable::cancel_task(const Rounds& rounds, TimePoint now) {
  if (const std::optional<SharedText> task = rounds.task_to_cancel()) {
    constexpr rpc::CallTimes none{.quiet_max = {}, .total_max = {}};
    const Result<rpc::CallNumber> number = uses_.in_flight->send(
        {.call = {.method = std::string(method::tasks_cancel), .times = none}}, *task, now);
    uses_.in_flight->forget(number.value_or(0));  // its answer changes nothing
  }
}

}  // namespace pi_mcp::mcp
