// Our half toward the host, where we are the server: what each message of the host means, what is
// under way between the two of us, and what we send. One conversation a value. Pure: no I/O, no
// clock.
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
#include "mcp/client_features.h"
#include "mcp/revisions.h"
#include "mcp/server/batches.h"
#include "mcp/server/log.h"
#include "mcp/server/progress.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

class ServerSession;

// What we declare in initialize.
struct DeclaredCapabilities {
  bool logging = true;
  bool prompts = true;
  bool completions = true;
  bool resources = true;
  bool tools = true;
};

// A method that the host may call.
struct UpwardMethod {
  enum class Since : std::uint8_t {
    always,       // before initialize too, and whatever revision the request names
    handshake,    // before initialize too
    initialized,  // once initialize was answered; notifications/initialized is not waited for
  };
  enum class By : std::uint8_t {
    protocol,  // ServerSession, by the function in `protocol`
    us,        // the owner of the ServerSession, at once
    server,    // the owner, who may need a server for it: takes time, and can be cancelled
    nobody,    // refused like a method without a row: -32601
  };

  std::string_view name;
  Since since = Since::initialized;
  bool DeclaredCapabilities::* needs = nullptr;  // refused (-32601) when we do not declare it
  By by = By::nobody;
  void (ServerSession::*protocol)(const rpc::Message& request) = nullptr;
};

// The member of a result's _meta with what a program wants to know of it. Most hosts put _meta into
// the prompt of their model, so it goes to hosts that declare a capability of this name only.
constexpr std::string_view details_key = "pi-mcp/details";

// What the host said in initialize.
struct HostInfo {
  std::string name;
  std::string version;
  ClientFeatures features;
  bool wants_details = false;  // capabilities.experimental has details_key
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
};
// A request that is answered by us: ServerSession::on_answer().
struct Answer {
  rpc::Message request;
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
struct Met {};           // host() is known from here on
struct RootsChanged {};  // of the host
struct LogLevelSet {     // servers may leave out what is below
  LogLevel level;
};
struct ReportLater {};  // call report_left_out() after left_out_pause
}  // namespace upward
using UpwardAction = std::variant<upward::Send,
                                  upward::Answer,
                                  upward::Begin,
                                  upward::Cancel,
                                  upward::Answered,
                                  upward::Unanswered,
                                  upward::Met,
                                  upward::RootsChanged,
                                  upward::LogLevelSet,
                                  upward::ReportLater>;

// After the first log message that was left out, and again as long as that goes on.
constexpr Milliseconds left_out_pause{3000};

class ServerSession {
 public:
  struct Limits {
    // Requests that run at the same time; more than any host has open at once.
    std::size_t running_max = 256;
    // Requests over that wait, so that ping, cancellation and the end of the host are still seen.
    std::size_t waiting_max = 4096;
    std::size_t waiting_bytes_max = std::size_t{64} << 20U;
    std::size_t questions_max = 512;     // without an answer; more fail. Each request may ask
    std::size_t early_notices_max = 32;  // until the host introduces itself; more are dropped
  };
  struct Options {
    std::string version;                        // of this program
    std::function<std::string()> instructions;  // asked at initialize; null, or empty text: none
    DeclaredCapabilities capabilities;
    const UpwardMethod* (*find_row)(std::string_view method) = nullptr;  // gives null: none
    Limits limits;
    // Questions get higher numbers. A process that takes over from another must not take an answer
    // to a question of that one for the answer to its own.
    std::int64_t last_question = 0;
  };
  explicit ServerSession(Options options) : options_(std::move(options)) {
    in_flight_.last_question = options_.last_question;
  }

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
  void on_answer(const rpc::Id& id, rpc::Outgoing reply);
  // The request that runs is over. The reply is a whole message.
  void on_reply(RequestKey key, rpc::Outgoing reply);
  [[nodiscard]] const rpc::Id& id_of(RequestKey key) { return in_flight_.find(key)->id; }
  [[nodiscard]] bool wants_progress(RequestKey key) { return progress_of(key) != nullptr; }
  // A server's progress for it, as its params came; and a phase of ours (HostProgress::of_phase).
  void on_progress(RequestKey key, json::Value params);
  void on_phase(RequestKey key, std::string_view what, Duration since);

  // unavailable: too many questions are open.
  Result<QuestionToHost> ask(std::string_view method, const SharedText& params);
  // Nobody waits for the answer any more; the host is told if it has not answered.
  void give_up(std::int64_t question);

  // Dropped before initialize.
  void notify(std::string_view method, const SharedText& params = {});
  // The params of a notifications/message of a server.
  void on_log(std::string_view server, json::Value params, TimePoint now);
  // A message of our own; waits for initialize.
  void on_notice(LogLevel level, std::string_view text);
  void report_left_out();

  // Meaningful after initialize.
  [[nodiscard]] const HostInfo& host() const { return host_; }

  // For UpwardMethod::protocol.
  void ping(const rpc::Message& request);
  void initialize(const rpc::Message& request);
  void set_log_level(const rpc::Message& request);

 private:
  // All that is under way between the host and us.
  struct InFlight {
    struct Request {
      RequestKey key;
      rpc::Id id;  // absent: nobody is in this place
      std::size_t id_hash = 0;
      std::unique_ptr<HostProgress> progress;  // null: not wanted
      bool is_cancelled = false;               // by the host, which hears no more of it
    };
    Request* find(RequestKey key);
    Request* find(const rpc::Id& id);

    std::vector<Request> running;         // by place
    std::vector<std::uint32_t> free;      // places
    std::deque<rpc::Message> waiting;     // not begun, oldest first
    std::size_t waiting_bytes = 0;        // of their messages
    std::vector<std::int64_t> questions;  // without an answer
    std::uint32_t last_serial = 0;
    std::int64_t last_question = 0;
  };

  void send(std::optional<rpc::Outgoing> message);
  // What the host gets for a request; nullopt: nothing.
  void reply(const rpc::Id& id, std::optional<rpc::Outgoing> reply);
  void on_batch(const rpc::Message& batch);
  void refuse(const rpc::Message& request, std::int64_t code, std::string_view why);
  std::optional<RequestKey> on_request(rpc::Message& request);
  void on_notification(const rpc::Message& message);
  std::optional<RequestKey> admit(rpc::Message& request);
  RequestKey begin(const rpc::Message& request);
  void cancel(const rpc::Id& id, std::string reason);
  rpc::Message take_waiting(const std::deque<rpc::Message>::iterator& place);
  [[nodiscard]] HostProgress* progress_of(RequestKey key);

  Options options_;
  bool is_initialized_ = false;
  Revision revision_ = newest_by_handshake;
  Batches batches_;
  HostInfo host_;
  InFlight in_flight_;
  HostLog log_;
  std::vector<rpc::Outgoing> early_;  // notices that wait for initialize
  std::vector<UpwardAction> actions_;
  std::size_t taken_ = 0;  // of actions_
};

}  // namespace pi_mcp::mcp
