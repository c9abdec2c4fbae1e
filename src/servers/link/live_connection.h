// The one implementation of Connection: drives the machine of the client side (mcp/client/) with a
// transport, the clock and tasks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/time.h"
#include "io/loop/condition.h"
#include "io/loop/one_shot.h"
#include "io/loop/task_group.h"
#include "io/net/address_check.h"
#include "mcp/client/client_link.h"
#include "servers/link/connection.h"

namespace pi_mcp::servers {

// The owner calls open() once and close() at the end, also when open() failed; destruction before
// close() has returned is a programming error. Whoever calls call() keeps the connection alive
// until it returns.
class LiveConnection final : public Connection {
 public:
  struct Options {
    mcp::LinkOptions link;
    io::PageRule pages = {};  // that the server may want opened
    // A call begins (true) or is over (false); also after close().
    std::function<void(bool begins)> on_call = nullptr;
  };

  LiveConnection(const io::Executor& executor,
                 std::unique_ptr<transport::Transport> transport,
                 Options options,
                 ConnectionEvents events);
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;
  LiveConnection(LiveConnection&&) = delete;
  LiveConnection& operator=(LiveConnection&&) = delete;
  ~LiveConnection() override;

  // Handshake, to be done by `deadline` (see mcp::ClientLink::open()), and first lists. Errors have
  // phase, reason and stderr tail: timed_out, protocol, unavailable (the link ended), cancelled.
  io::Task<Result<void>> open(TimePoint deadline);

  // From now on is_open() is false and no call is taken; close() follows. Calls in flight then say
  // by which command the user has ended it, if it was that.
  void give_up(const std::string& stopped_by = {}) {
    stopped_by_ = stopped_by_.empty() ? stopped_by : stopped_by_;
    link_.give_up();
  }
  // Ends the link and every task; calls in flight fail at once. Once only, and from a task that
  // nobody cancels: a half-closed connection could not be destroyed.
  io::Task<void> close();

  // Why the link ended; before that the stderr so far.
  [[nodiscard]] transport::LinkEnd end() const;
  [[nodiscard]] std::uint64_t late_answers() const {
    return link_.in_flight().calls().late_answers();
  }
  // Those of the revision that was agreed on.
  [[nodiscard]] const mcp::RevisionTraits& traits() const { return link_.opening().traits(); }

  io::Task<Result<rpc::Message>> call(std::string method,
                                      SharedText params,
                                      CallOptions options) override;
  // Not for what mcp::ClientLink::begin() does not take.
  std::unique_ptr<OpenCall> begin_call(std::string_view method,
                                       const rpc::Outgoing& params,
                                       CallOptions options,
                                       Answered answered) override;
  io::Task<Result<void>> refresh() override;
  bool look_for_unknown(std::function<void()> read) override;
  [[nodiscard]] bool has_stale_lists() const override;
  void note_use() override;
  [[nodiscard]] io::Task<Result<void>> check_page(std::string url) const override {
    return io::check_page(std::move(url), pages_);
  }
  mcp::Watching watch(const std::string& uri, bool by_itself) override;
  void unwatch(const std::string& uri) override;
  void tell_roots_changed() override;
  void want_log_level(const void* who, std::optional<mcp::LogLevel> level) override;
  [[nodiscard]] bool is_open() const override { return link_.is_open(); }
  [[nodiscard]] const mcp::Listing& listing() const override { return link_.lists().listing(); }
  [[nodiscard]] const mcp::ServerDescription& server() const override {
    return link_.opening().server();
  }
  [[nodiscard]] std::uint64_t listing_revision() const override { return link_.lists().revision(); }
  [[nodiscard]] std::string protocol_version() const override { return std::string(traits().name); }
  [[nodiscard]] int process_id() const override { return transport_->process_id(); }
  [[nodiscard]] std::size_t calls_in_flight() const override { return link_.calls_in_flight(); }

 private:
  class CountedCall;
  struct CallUnderWay;

  // Does what the machine wants, in order; within that, what it wants meanwhile.
  void perform();
  void act(mcp::action::Send& send);
  static void act(mcp::action::Complete& complete);
  void act(mcp::action::Progress& progress);
  void act(mcp::action::AskHost& question);
  void act(mcp::action::Asked& asked);
  void act(mcp::action::Withdraw& withdraw);
  void act(mcp::action::Opened& opened);
  static void act(mcp::action::TellRefreshed& told);
  void act(mcp::action::ListingChanged& changed);
  void act(mcp::action::LogMessage& message);
  void act(mcp::action::ElicitationComplete& complete);
  void act(mcp::action::ResourceUpdated& updated);
  void act(mcp::action::LookForSession& look);
  void act(mcp::action::Starting& starting);
  void act(mcp::action::LinkDead& dead);
  void act(mcp::action::LinkEnded& ended);
  void act(mcp::action::Note& note);

  io::Task<void> read();
  void take(rpc::Message&& message);
  io::Task<void> look_for_session();
  io::Task<void> watch_time();
  void watch_earlier_time();
  io::Task<void> ask(mcp::action::AskHost question);
  void end_question(mcp::QuestionNumber question, Result<rpc::Message> answer);
  void end_link();
  io::OnEscape ends_link();
  [[nodiscard]] mcp::LinkEnd end_in_short() const;

  std::unique_ptr<transport::Transport> transport_;
  std::string server_;  // for log lines
  io::PageRule pages_;
  std::function<void(bool)> on_call_;
  ConnectionEvents events_;
  mcp::ClientLink link_;
  std::map<const void*, mcp::LogLevel> log_levels_;  // that are wanted
  bool is_performing_ = false;
  bool was_open_ = false;     // open() has succeeded
  bool has_ended_ = false;    // everybody who waited knows
  std::string fault_;         // of ours, that has ended the link
  std::string stopped_by_;    // see give_up()
  io::OneShot<void> opened_;  // what open() waits for
  io::Condition earlier_;     // link_ is to be woken before armed_
  TimePoint armed_ = TimePoint::max();
  std::unordered_map<mcp::QuestionNumber, io::TaskGroup::TaskId> questions_;  // to hosts

  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::servers
