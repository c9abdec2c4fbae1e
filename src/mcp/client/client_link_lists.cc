// The lists of a server, and what tells that they change.
#include <string>
#include <utility>

#include "json/writer.h"
#include "mcp/client/client_link.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {

void ClientLink::refresh(Refreshed refreshed, TimePoint now) {
  if (is_open()) {
    lists_.refresh({.refreshed = std::move(refreshed)}, now);
  } else {
    outbox_.add(
        action::TellRefreshed{.refreshed = std::move(refreshed), .result = fail(being_stopped())});
  }
  follow_up(now);
}

bool ClientLink::look_for_unknown(Refreshed refreshed, TimePoint now) {
  const bool waits = is_open() && lists_.look_for_unknown({.refreshed = std::move(refreshed)}, now);
  follow_up(now);
  return waits;
}

void ClientLink::note_use(TimePoint now) {
  if (is_open()) {
    lists_.note_use(now);
    follow_up(now);
  }
}

bool ClientLink::can_watch() const {
  return is_open() && opening_.server().capabilities.resources_subscribe;
}

Watching ClientLink::watch(const std::string& uri, bool by_itself, TimePoint now) {
  if (!can_watch()) {
    return Watching::refused;
  }
  const bool is_first = subscription_.add(uri);
  if (is_first && traits().has_subscription) {
    listen(now);
  } else if (is_first && by_itself) {
    tell(method::resources_subscribe, uri, now);
  }
  follow_up(now);
  return is_first && !traits().has_subscription && !by_itself ? Watching::to_ask : Watching::begun;
}

void ClientLink::unwatch(const std::string& uri, TimePoint now) {
  if (!subscription_.remove(uri) || !can_watch()) {
    return;
  }
  if (traits().has_subscription) {
    listen(now);
  } else {
    tell(method::resources_unsubscribe, uri, now);
  }
  follow_up(now);
}

// A request whose answer changes nothing.
void ClientLink::tell(std::string_view method, const std::string& uri, TimePoint now) {
  constexpr rpc::CallTimes none{.quiet_max = {}, .total_max = {}};
  const Result<rpc::CallNumber> number =
      in_flight_.send({.call = {.method = std::string(method), .times = none}},
                      SharedText(R"({"uri":)" + json::quoted(uri) + "}"),
                      now);
  in_flight_.forget(number.value_or(0));
}

// What is listened to does not change while it is: a new stream takes the place of the old one.
void ClientLink::listen(TimePoint now) {
  const rpc::CallNumber before = std::exchange(listening_, 0);
  const auto params = subscription_.begin(opening_.server().capabilities, now);
  if (!params) {
    in_flight_.abandon(before);
    return;
  }
  constexpr rpc::CallTimes unlimited{.quiet_max = Duration::max(), .total_max = Duration::max()};
  const Result<rpc::CallNumber> sent = in_flight_.send(
      {.call = {.method = std::string(method::subscriptions_listen), .times = unlimited},
       .part = InFlight::Part::subscription},
      *params,
      now);
  listening_ = sent.value_or(0);
  in_flight_.abandon(before);
  if (!sent) {
    (void)subscription_.on_answer(fail(sent.error()), now);  // no message: this is not a refusal
  }
}

void ClientLink::take_outcome(const ListingReader::Outcome& outcome, TimePoint now) {
  if (outcome.is_first) {
    end_opening(outcome.result);
    if (outcome.result && traits().has_subscription) {
      listen(now);
    }
  } else if (outcome.result) {
    outbox_.add(action::ListingChanged{.said = outcome.said});
  }
  for (const ListingReader::Waiter& waiter : outcome.waiting) {
    if (waiter.refreshed) {
      outbox_.add(action::TellRefreshed{.refreshed = waiter.refreshed, .result = outcome.result});
    } else {
      rounds_.on_lists(waiter.rounds, outcome.result.has_value(), now);
    }
  }
}

}  // namespace pi_mcp::mcp
