// The client side of one link to one server: opening it, calls and their answers, lists, what the
// server asks, what it tells. A machine: messages, time and wishes go in, actions come out
// (mcp/client/actions.h). Pure: no I/O; time is an argument.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/pinned.h"
#include "base/rate.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/client/actions.h"
#include "mcp/client/host_questions.h"
#include "mcp/client/in_flight.h"
#include "mcp/client/link_text.h"
#include "mcp/client/listing_reader.h"
#include "mcp/client/opening.h"
#include "mcp/client/rounds_table.h"
#include "mcp/client/subscription.h"
#include "mcp/client_features.h"
#include "mcp/log_level.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// What is seen of a start.
struct StartLook {
  std::string preparation;  // before the server itself, "installing x with npx"; empty: nothing
  std::uint64_t work = 0;   // changes as long as that visibly goes on
};

struct LinkOptions {
  std::string server;  // its configured name, for hosts
  std::string client_name = "pi-mcp";
  std::string client_version = PI_MCP_VERSION;
  ClientFeatures features = {};  // declared, and forwarded to hosts
  // See HostQuestions::Options.
  std::function<std::shared_ptr<Host>()> roots_host = nullptr;
  std::function<ClientFeatures(const void* session, const Host& host)> features_of = nullptr;
  std::function<StartLook()> look = nullptr;  // null: nothing is prepared
  bool tasks = true;                          // see ClientSession::Options
  Protocol protocol = Protocol::automatic;
  std::optional<Era> era = std::nullopt;  // see Opening::Options
  std::function<bool()> has_session = nullptr;
  bool has_headers = false;              // an HTTP link: see Opening and mcp/header_params.h
  Milliseconds install_max{600'000};     // for initialize while an installer is at work
  Milliseconds list_quiet_max{60'000};   // for one page of a list
  Milliseconds list_total_max{120'000};  // for all lists together, or list_quiet_max if larger
  // Between two looks at what a server does that has not answered initialize yet.
  Milliseconds start_look_pause{1000};
  // See ListingReader::Options.
  Milliseconds list_changed_pause{50};
  RateLimits list_changes{.burst = 10, .interval = Milliseconds(1000)};
  Milliseconds list_fresh_min{5000};
  Milliseconds discover_max{10'000};  // for server/discover; then the server may be older
  Milliseconds listen_pause{1000};    // before subscriptions/listen again; grows
};

// After every input but begin() and take_answer(): actions until there is none, then the time to
// wake it.
class ClientLink : Pinned {
 public:
  explicit ClientLink(LinkOptions options);

  // The first input: handshake, to be done by `deadline`, and first lists; then Opened. While the
  // link says that something is prepared and that visibly goes on, the time to `deadline` begins
  // anew, up to install_max.
  void open(TimePoint deadline, TimePoint now);

  // A request of the caller, whose `answered` comes with Complete: a result, a failure, or an
  // error: timed_out; unavailable, the link ended before the answer came, the text says how; io,
  // the link proved dead before anything was written. `params` is a JSON object or empty. Its
  // number is for cancel(). An error: nothing is under way; io as above, unavailable when too many
  // calls wait.
  Result<rpc::CallNumber> call(Call call, SharedText params, TimePoint now);
  // For most calls: nothing but a request and its answer. If it cannot be sent, forget() it.
  // nullopt where that does not do: a call may be many requests, calls fail one by one (links with
  // headers), the link is not open; call() says why.
  std::optional<BegunCall> begin(Call call, const rpc::Outgoing& params, TimePoint now);
  void forget(rpc::CallNumber number) { in_flight_.forget(number); }
  // The caller has gone, for a reason that the server hears if there is one. Nothing happens when
  // the call is over. 0: nobody waits for Opened.
  void cancel(rpc::CallNumber number, std::string_view reason, TimePoint now);
  // Reads all lists again. `refreshed` comes with TellRefreshed; errors as of call().
  void refresh(Refreshed refreshed, TimePoint now);
  // See ListingReader. True: `refreshed` comes with TellRefreshed.
  bool look_for_unknown(Refreshed refreshed, TimePoint now);
  // Somebody looks at what the server offers. A call says the same.
  void note_use(TimePoint now);
  void tell_roots_changed();
  // From now on log messages of this level and above are wanted of the server. Until it is said so
  // one with a handshake logs as it likes.
  void want_log_level(LogLevel level, TimePoint now);
  // Somebody wants to know when that resource changes; as often as it is watched it has to be
  // unwatched. `by_itself`: the server is asked without anybody to tell what it says.
  Watching watch(const std::string& uri, bool by_itself, TimePoint now);
  void unwatch(const std::string& uri, TimePoint now);
  // From now on no call is taken.
  void give_up() { in_flight_.give_up(); }

  // The caller whom `message` answers, when that is all there is to do with it; null: on_message().
  Answered take_answer(const rpc::Message& message);
  void on_message(rpc::Message message, TimePoint now);
  // A call whose request or answer failed by itself while the link goes on.
  void on_call_failure(const rpc::Id& id, Error error, TimePoint now);
  // See Transport::on_answer_part(): its quiet time begins anew.
  void on_answer_part(const rpc::Id& id, TimePoint now) { in_flight_.on_answer_part(id, now); }
  void on_not_sent(rpc::CallNumber number, const Error& error, TimePoint now);
  void on_host_answer(QuestionNumber question, Result<rpc::Message> answer, TimePoint now);
  void on_session_look(bool wants_session, TimePoint now);
  void on_end(LinkEnd end, TimePoint now);
  void on_time(TimePoint now);

  std::optional<Action> next_action() { return outbox_.take(); }
  // When to call on_time() next; perhaps earlier than needed.
  [[nodiscard]] TimePoint next_wake() const { return wake_; }

  [[nodiscard]] bool is_open() const { return phase_ == Phase::open && !in_flight_.is_given_up(); }
  [[nodiscard]] const Opening& opening() const { return opening_; }
  [[nodiscard]] const ListingReader& lists() const { return lists_; }
  [[nodiscard]] std::size_t calls_in_flight() const {
    return in_flight_.calls().waiting() - (subscription_.is_open() ? 1 : 0);
  }
  [[nodiscard]] const InFlight& in_flight() const { return in_flight_; }

 private:
  enum class Phase : std::uint8_t { opening, open, ended };

  [[nodiscard]] const RevisionTraits& traits() const { return opening_.traits(); }
  Result<rpc::CallNumber> start(Call&& call, SharedText params, TimePoint now);
  [[nodiscard]] bool can_watch() const;
  void tell(std::string_view method, const std::string& uri, TimePoint now);
  void finish(InFlight::Ended request, Result<rpc::Message> answer, TimePoint now);
  void on_notification(rpc::Message notification, TimePoint now);

  void ask_opening(TimePoint now);
  void on_opening_answer(const std::string& method, Result<rpc::Message> answer, TimePoint now);
  void go_on_opening(Opening::Next next, TimePoint now);
  void end_opening(Result<void> opened);
  void watch_start(TimePoint now);

  void listen(TimePoint now);
  void take_outcome(const ListingReader::Outcome& outcome, TimePoint now);
  void follow_up(TimePoint now);

  LinkOptions options_;
  Outbox outbox_;
  Phase phase_ = Phase::opening;
  Opening opening_;
  TimePoint open_deadline_;
  bool is_looking_ = false;  // for a session
  StartLook start_;          // what was seen last
  Duration look_pause_{0};
  std::optional<TimePoint> next_look_;  // while it is opened

  InFlight in_flight_;
  ListingReader lists_;
  HostQuestions questions_;
  RoundsTable rounds_;
  Subscription subscription_;
  rpc::CallNumber listening_ = 0;      // the request of its stream; 0: none
  std::optional<LogLevel> log_level_;  // that was wanted
  Rate completions_{forwarded_rate};   // there is no more to complete than was asked
  TimePoint wake_ = TimePoint::max();
};

}  // namespace pi_mcp::mcp
