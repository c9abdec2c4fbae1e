// Our half toward the host, where we are the server: what each message of the host means, what is
// under way between the two of us, and what we send. One conversation a value. Pure: no I/O, no
// clock.
//
// A host may begin with initialize, or send requests that each say who asks (2026-07-28), or both
// (docs/decisions/0073-both-eras-upward.md).
//
// Its owner hands in what happens, and then does what next() says until there is nothing more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "json/document.h"
#include "mcp/revisions.h"
#include "mcp/server/batches.h"
#include "mcp/server/declared.h"
#include "mcp/server/envelope.h"
#include "mcp/server/input_rounds.h"
#include "mcp/server/listens.h"
#include "mcp/server/log.h"
#include "mcp/server/progress.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

class ServerSession;

constexpr std::string_view id_in_use = "this request id is in use by a call that still runs";

// A method that the host may call.
struct UpwardMethod {
  // Of revisions with a handshake.
  enum class Since : std::uint8_t {
    handshake,    // before initialize too
    initialized,  // once initialize was answered; notifications/initialized is not waited for, and
                  // such a request says the same
  };
  enum class In : std::uint8_t {
    every_revision,
    handshake_only,
    discovery_only,  // revisions without a handshake
  };
  enum class By : std::uint8_t {
    protocol,   // ServerSession, by the function in `protocol`
    us,         // the owner of the ServerSession, at once
    server,     // the owner, who may need a server for it: takes time, and can be cancelled
    listening,  // stays open and tells what changes
    nobody,     // refused like a method without a row: -32601
  };

  std::string_view name;
  Since since = Since::initialized;
  In in = In::every_revision;
  bool may_ask = false;    // by its result (basic/patterns/mrtr)
  bool is_cached = false;  // its result says for how long and for whom it is good
  // By a server, as it is: nothing is added to its result, and a requestState that is none of ours
  // is the server's.
  bool is_as_it_is = false;
  // By a server, which has to be known before initialize is answered: the host is met before. It is
  // initialized once that was answered by a result.
  bool is_greeting = false;
  bool DeclaredCapabilities::* needs = nullptr;  // refused (-32601) when we do not declare it
  By by = By::nobody;
  void (ServerSession::*protocol)(const rpc::Message& request) = nullptr;
};

// Names a request of the host that runs.
struct RequestKey {
  std::uint32_t place = 0;   // below Limits::running_max, and used again
  std::uint32_t serial = 0;  // given once
  bool operator==(const RequestKey&) const = default;
};

// A request of ours to the host.
struct QuestionToHost {
  std::int64_t number = 0;
  Milliseconds limit{0};  // without an answer for so long: give_up()
};

// What the owner has to do.
namespace upward {
struct Send {
  rpc::Outgoing message;
  // The request that it belongs to and, where requests have streams of their own, goes on the
  // stream of. Absent: none, or it is an answer, which says itself what it answers.
  rpc::Id during = {};  // NOLINT(readability-redundant-member-init): may be left out
};
// A request that is answered by us: ServerSession::on_answer().
struct Answer {
  rpc::Message request;
  std::string members = {};  // NOLINT(readability-redundant-member-init): may be left out
};
// The turn of a request has come that had to wait: begin with it.
struct Begin {
  RequestKey key;
  rpc::Message request;
};
// Stop it; on_reply() ends it all the same.
struct Cancel {
  RequestKey key;
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string reason = {};  // of the host; empty: it gave none
};
// The host has answered a question, by a result or a failure.
struct Answered {
  std::int64_t question;
  rpc::Message answer;
};
// This request of the host gets no answer: it was cancelled.
struct Unanswered {
  rpc::Id request;
};
// The host wants to hear of changes of these resources: watch them, then on_listening().
struct Watch {
  RequestKey key;
  std::vector<std::string> uris;
};
// Nobody wants to hear of them any more.
struct Unwatch {
  std::vector<std::string> uris;
};
struct Met {};           // host() is known from here on, or is another one
struct RootsChanged {};  // of the host
struct LogLevelSet {     // servers may leave out what is below
  LogLevel level;
};
struct ReportLater {};  // call report_left_out() after left_out_pause
struct ExpireLater {};  // call expire() after expire_pause
}  // namespace upward
using UpwardAction = std::variant<upward::Send,
                                  upward::Answer,
                                  upward::Begin,
                                  upward::Cancel,
                                  upward::Answered,
                                  upward::Unanswered,
                                  upward::Watch,
                                  upward::Unwatch,
                                  upward::Met,
                                  upward::RootsChanged,
                                  upward::LogLevelSet,
                                  upward::ReportLater,
                                  upward::ExpireLater>;

// After the first log message that was left out, and again as long as that goes on.
constexpr Milliseconds left_out_pause{3000};
// As long as calls wait for a host to come back.
constexpr Milliseconds expire_pause{10'000};

class ServerSession {
 public:
  struct Limits {
    // Requests that run at the same time; more than any host has open at once.
    std::size_t running_max = 256;
    // Requests over that wait, so that ping, cancellation and the end of the host are still seen.
    std::size_t waiting_max = 4096;
    std::size_t waiting_bytes_max = std::size_t{64} << 20U;
    std::size_t questions_max = 512;     // without an answer; more fail. Each request may ask
    std::size_t early_notices_max = 32;  // until initialize is answered; more are dropped
    // Of revisions without a handshake: calls that wait for the host to come back with answers, for
    // how long each, and what is kept for all of them; a call that would be more asks in vain.
    std::size_t rounds_max = 64;
    std::size_t rounds_bytes_max = std::size_t{16} << 20U;
    Milliseconds round_max{10 * 60'000};
    std::size_t listens_max = 32;  // subscriptions/listen at the same time; more are refused
  };
  struct Options {
    std::string version;                        // of this program
    std::function<std::string()> instructions;  // asked at initialize; null, or empty text: none
    DeclaredCapabilities capabilities;
    // What we really have, where that is not known from the beginning; outlives the session. Null:
    // the same.
    const DeclaredCapabilities* has = nullptr;
    const UpwardMethod* (*find_row)(std::string_view method) = nullptr;  // gives null: none
    Limits limits;
    // Questions get higher numbers. A process that takes over from another must not take an answer
    // to a question of that one for the answer to its own.
    std::int64_t last_question = 0;
    // A text that nobody can guess, for each round of a call: its requestState. Null: calls of
    // revisions without a handshake ask nothing.
    std::function<std::string()> new_state = nullptr;
    // Of a host that was met by initialize before, in a session that only this is known of.
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::optional<HostInfo> met_before = {};
  };
  explicit ServerSession(Options options);

  std::optional<UpwardAction> next();

  // Takes what it is given, but for a request that takes time and is to begin now: that stays, and
  // its key is returned. on_reply() ends it.
  std::optional<RequestKey> on_message(rpc::Message& message);
  // True: read the host again when a request has ended, so that a host that floods us has to wait.
  [[nodiscard]] bool is_flooded() const {
    return in_flight_.waiting.size() >= options_.limits.waiting_max ||
           in_flight_.waiting_bytes >= options_.limits.waiting_bytes_max;
  }
  // The host has gone: stops what runs.
  void end();

  // The reply to upward::Answer.
  void on_answer(const upward::Answer& asked, rpc::Outgoing reply);
  // After upward::Watch: these are watched. False: the host has cancelled it, or there are too
  // many; then on_reply() has to follow.
  bool on_listening(RequestKey key, std::vector<std::string> uris);
  // The request that runs is over. The reply is a whole message.
  void on_reply(RequestKey key, rpc::Outgoing reply);
  [[nodiscard]] const rpc::Id& id_of(RequestKey key) { return in_flight_.find(key)->id; }
  [[nodiscard]] bool wants_progress(RequestKey key);
  // A server's progress for it, as its params came; and a phase of ours (HostProgress::of_phase).
  void on_progress(RequestKey key, json::Value params);
  void on_phase(RequestKey key, std::string_view what, Duration since);

  // `during`: of a call. Of one that is asked by results the question goes into its answer. None
  // otherwise, and where there is no such request: to a host that takes requests. unavailable: too
  // many questions are open, or it takes none.
  Result<QuestionToHost> ask(std::string_view method,
                             const SharedText& params,
                             std::optional<RequestKey> during = {},
                             TimePoint now = {});
  // Nobody waits for the answer any more; the host is told if it has not answered.
  void give_up(std::int64_t question);
  // Calls whose host has not come back in time are cancelled, and their requestState is no longer
  // good.
  void expire(TimePoint now);

  // To who has been met by initialize, and to who listens. `uri`: of the resource that it is about.
  void notify(std::string_view method, const SharedText& params = {}, std::string_view uri = {});
  // The params of a notifications/message of a server.
  void on_log(std::string_view server, json::Value params, TimePoint now);
  // A message of our own; waits for initialize.
  void on_notice(LogLevel level, std::string_view text);
  void report_left_out();

  // Meaningful once it was met. Of a host that says with each request who it is: all that it has
  // declared.
  [[nodiscard]] const HostInfo& host() const { return host_; }
  // As that request says.
  [[nodiscard]] const HostInfo& host_of(RequestKey key);

  // For UpwardMethod::protocol.
  void ping(const rpc::Message& request);
  void initialize(const rpc::Message& request);
  void discover(const rpc::Message& request);
  void set_log_level(const rpc::Message& request);

 private:
  // What is known of a request of a revision without a handshake.
  struct Stateless {
    Envelope envelope;
    const UpwardMethod* method = nullptr;
    InputRounds rounds;
    ListenFilter filter;  // of subscriptions/listen
  };
  // A question that waits until the host may be asked.
  struct Held {
    std::int64_t question = 0;
    rpc::Outgoing message;
    rpc::Id during;
  };
  // All that is under way between the host and us.
  struct InFlight {
    struct Request {
      RequestKey key;
      // Absent: nobody is in this place, or its host has to come back with answers.
      rpc::Id id;
      std::size_t id_hash = 0;
      std::unique_ptr<HostProgress> progress;  // null: not wanted
      bool is_cancelled = false;               // by the host, which hears no more of it
      std::unique_ptr<Stateless> stateless;    // null: of a revision with a handshake

      // Its host has been asked and has not come back.
      [[nodiscard]] bool is_put() const { return stateless && stateless->rounds.is_put(); }
    };
    Request* find(RequestKey key);
    Request* find(const rpc::Id& id);
    // Of those that wait for their host to come back.
    [[nodiscard]] std::size_t put() const;
    [[nodiscard]] std::size_t rounds_bytes() const;

    std::vector<Request> running;         // by place
    std::vector<std::uint32_t> free;      // places
    std::deque<rpc::Message> waiting;     // not begun, oldest first
    std::size_t waiting_bytes = 0;        // of their messages
    std::vector<std::int64_t> questions;  // without an answer
    std::uint32_t last_serial = 0;
    std::int64_t last_question = 0;
  };

  [[nodiscard]] bool has(const UpwardMethod& method) const {
    return method.needs == nullptr ||
           (options_.has != nullptr ? *options_.has : options_.capabilities).*method.needs;
  }
  void send(std::optional<rpc::Outgoing> message, const rpc::Id& during = {});
  // What nothing was asked for: after the answer to initialize.
  void send_unasked(std::optional<rpc::Outgoing> message, const rpc::Id& during = {});
  // What the host gets for a request; nullopt: nothing.
  void reply(const rpc::Id& id, std::optional<rpc::Outgoing> reply);
  void on_batch(const rpc::Message& batch);
  void refuse(const rpc::Message& request, std::int64_t code, std::string_view why);
  std::optional<RequestKey> on_request(rpc::Message& request);
  void on_notification(const rpc::Message& message);
  bool take_introduction(const rpc::Message& request);
  void greet(rpc::Message& request);
  void end_greeting(bool is_initialized);
  void take_ready();
  void send_held();
  std::optional<RequestKey> admit(rpc::Message& request, std::unique_ptr<Stateless> stateless);
  RequestKey begin(const rpc::Message& request, std::unique_ptr<Stateless> stateless);
  void free(RequestKey key);
  void begin_waiting();
  [[nodiscard]] bool is_in_use(const rpc::Id& id);
  void meet(const HostInfo& host);
  void cancel(const rpc::Id& id, std::string reason);
  rpc::Message take_waiting(const std::deque<rpc::Message>::iterator& place);
  [[nodiscard]] InFlight::Request* with_progress(RequestKey key);
  [[nodiscard]] std::optional<LogLevel> least_log_level() const;
  [[nodiscard]] rpc::Id wants_log(LogLevel level) const;

  // Revisions without a handshake: stateless.cc.
  void on_stateless(rpc::Message& request, const UpwardMethod& method);
  void begin_stateless(rpc::Message& request, std::unique_ptr<Stateless> stateless);
  [[nodiscard]] std::unique_ptr<Stateless> read_stateless(const rpc::Message& request) const;
  [[nodiscard]] std::string members_of(const UpwardMethod& method) const;
  void listen(rpc::Message& request, std::unique_ptr<Stateless> stateless);
  void open_listen(const rpc::Id& id, ListenFilter filter);
  [[nodiscard]] InFlight::Request* find_put(json::Value state);
  void resume(const rpc::Message& request, const Envelope& envelope);
  void go_on(InFlight::Request& request, std::vector<InputRounds::Answer> answers);
  Result<QuestionToHost> ask_by_result(InFlight::Request& request,
                                       std::string_view method,
                                       const SharedText& params,
                                       TimePoint now);
  void put(InFlight::Request& request);
  bool keep_reply(InFlight::Request& request, rpc::Outgoing& reply);
  void want_log_level(const Envelope& envelope);

  Options options_;
  bool is_initialized_ = false;  // or is being greeted
  rpc::Id greeting_;             // the initialize that is still to be answered
  // The host may be asked: before notifications/initialized it gets no requests (basic/lifecycle).
  bool is_ready_ = false;
  bool is_met_ = false;    // host_ is known
  bool is_asked_ = false;  // there was a request without a handshake
  Revision revision_ = newest_by_handshake;
  Batches batches_;
  HostInfo host_;
  InFlight in_flight_;
  HostLog log_;
  LogLevel log_level_ = log_level_until_said;    // by handshake
  std::optional<LogLevel> requested_log_level_;  // the lowest that servers were told of
  Listens listens_;
  TimePoint now_;                     // of the last question
  std::vector<rpc::Outgoing> early_;  // what waits for the answer to initialize
  std::vector<Held> held_;            // at most questions_max
  std::vector<UpwardAction> actions_;
  std::size_t taken_ = 0;  // of actions_
};

}  // namespace pi_mcp::mcp
