// What goes into the client side of a link and what comes out of it: calls, and actions for who
// drives it. Pure data.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/log.h"
#include "base/result.h"
#include "base/shared_text.h"
#include "base/time.h"
#include "mcp/forwarded_request.h"
#include "mcp/lists.h"
#include "rpc/call_table.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"

namespace pi_mcp::mcp {

// Whom a server's questions are forwarded to, as far as it matters here.
class Host {
 public:
  Host() = default;
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  Host(Host&&) = delete;
  Host& operator=(Host&&) = delete;
  virtual ~Host() = default;

  // How its user learns which server asks.
  [[nodiscard]] virtual AskerShown asker_shown() const { return AskerShown::in_text; }
};

// What a link that is about to be closed says to who wants something of it.
inline Error being_stopped() {
  return {ErrorCode::io, "the server is being stopped"};
}

using Answered = std::function<void(Result<rpc::Message>&&)>;
// Takes the params of notifications/progress, with the server's own progressToken in them.
using OnProgress = std::function<void(json::Value params)>;
using Refreshed = std::function<void(Result<void>)>;

// What somebody wants of a server. `host` answers what the server asks meanwhile; null: nobody.
struct Call {
  std::string method;
  rpc::CallTimes times;
  OnProgress on_progress = nullptr;
  std::shared_ptr<Host> host = nullptr;
  const void* session = nullptr;  // whose call it is; only compared. null: whose its host is
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string meta = {};  // see RequestMeta::passed
  // The capabilities of a host that speaks to the server as it is: of revisions without a handshake
  // the server hears these in place of ours, and its answer comes as it is, also one that asks.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::optional<std::string> declared = {};
  Answered answered = nullptr;  // null for requests of our own
};

// Names one question to a host.
using QuestionNumber = std::uint64_t;

namespace action {

// Write it. ClientLink::on_not_sent() if the link does not take a request; what has no number
// nobody waits for.
struct Send {
  rpc::Outgoing message;
  rpc::CallNumber number = 0;
};
struct Complete {
  rpc::CallNumber number = 0;  // of the call
  Answered answered;
  Result<rpc::Message> answer;
};
// To `on_progress` of the call `number`, which is here when the call does not wait any more; else
// see InFlight::listener().
struct Progress {
  rpc::Message message;
  rpc::CallNumber number = 0;
  OnProgress on_progress = nullptr;
};
// Not before `turn`, and only when `page`, if there is one, may be opened. Its answer:
// ClientLink::on_host_answer().
struct AskHost {
  QuestionNumber question = 0;
  std::shared_ptr<Host> host;
  std::string method;
  SharedText params;
  TimePoint turn;
  std::optional<std::string> page;
};
// The server asks for something that only a host can give, whatever becomes of that.
struct Asked {
  std::string method;
  const void* session = nullptr;  // whose call has caused it; null: that cannot be told
  bool is_beyond = false;         // this session cannot do it, though others of the link can
};
// Nobody wants to know that any more.
struct Withdraw {
  QuestionNumber question = 0;
};
struct Opened {
  Result<void> result;
};
struct TellRefreshed {
  Refreshed refreshed;
  Result<void> result;
};
struct ListingChanged {
  ChangedLists said;  // by the server, since this was told last
};
struct LogMessage {
  rpc::Message notification;      // notifications/message
  const void* session = nullptr;  // the only one with calls under way; null: there is none
};
struct ElicitationComplete {
  rpc::Message notification;
  const void* session = nullptr;  // whose elicitation it is; null: that is not known
};
struct ResourceUpdated {
  rpc::Message notification;
};
// Whether the server wants a session of whoever has none: ClientLink::on_session_look().
struct LookForSession {};
// It is not open yet; see StartLook.
struct Starting {
  std::string preparation;
};
// Nothing is taken any more, though nobody has said that the link is over: ClientLink::on_end().
struct LinkDead {};
struct LinkEnded {};  // everybody who waited has been told; once
struct Note {
  log::Level level = log::Level::info;
  std::string text;
};

}  // namespace action

using Action = std::variant<action::Send,
                            action::Complete,
                            action::Progress,
                            action::AskHost,
                            action::Asked,
                            action::Withdraw,
                            action::Opened,
                            action::TellRefreshed,
                            action::ListingChanged,
                            action::LogMessage,
                            action::ElicitationComplete,
                            action::ResourceUpdated,
                            action::LookForSession,
                            action::Starting,
                            action::LinkDead,
                            action::LinkEnded,
                            action::Note>;

// Actions in the order in which they are to be done.
class Outbox {
 public:
  void add(Action action) { actions_.push_back(std::move(action)); }
  // A message that nobody waits for.
  void tell(rpc::Outgoing message) { add(action::Send{.message = std::move(message)}); }
  void complete(rpc::CallNumber number, Call& call, Result<rpc::Message> answer) {
    add(action::Complete{
        .number = number, .answered = std::move(call.answered), .answer = std::move(answer)});
  }
  // The caller of `number` has gone: it is told nothing any more.
  void drop(rpc::CallNumber number) {
    std::erase_if(actions_, [number](const Action& action) {
      const auto* const complete = std::get_if<action::Complete>(&action);
      const auto* const progress = std::get_if<action::Progress>(&action);
      return (complete != nullptr && complete->number == number) ||
             (progress != nullptr && progress->number == number);
    });
  }
  std::optional<Action> take() {
    if (actions_.empty()) {
      return std::nullopt;
    }
    std::optional<Action> next = std::move(actions_.front());
    actions_.pop_front();
    return next;
  }

 private:
  std::deque<Action> actions_;
};

}  // namespace pi_mcp::mcp
