// The one implementation of Connection: a transport, the handshake, and the tasks that read
// answers, watch deadlines and follow list changes.
#pragma once

#include <array>
#include <bitset>
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
#include "mcp/era.h"
#include "mcp/header_params.h"
#include "mcp/lists.h"
#include "mcp/round_trips.h"
#include "mcp/task_poll.h"
#include "rpc/call_table.h"
#include "servers/link/connection.h"
#include "servers/link/forwarded_requests.h"
#include "servers/link/progress_limiter.h"

namespace pi_mcp::servers {

// The owner calls open() once and close() at the end, also when open() failed; destruction before
// close() has returned is a programming error. Whoever calls call() keeps the connection alive
// until it returns.
class LiveConnection final : public Connection {
 public:
  struct Options {
    std::string server;  // for log lines
    std::string client_name = "pi-mcp";
    std::string client_version = PI_MCP_VERSION;
    mcp::ClientFeatures features = {};  // declared, and forwarded to hosts
    io::PageRule pages = {};            // that the server may want opened
    // Whom to ask what no call has caused; null: nobody.
    std::function<std::shared_ptr<HostLink>()> host = nullptr;
    mcp::Protocol protocol = mcp::Protocol::automatic;
    bool has_headers = false;              // an HTTP link: see mcp::Opening and mcp/header_params.h
    Milliseconds install_max{600'000};     // for initialize while an installer is at work
    Milliseconds list_quiet_max{60'000};   // for one page of a list
    Milliseconds list_total_max{120'000};  // for all lists together, or list_quiet_max if larger
    // Between two looks at what a server does that has not answered initialize yet.
    Milliseconds start_look_pause{1000};
    // After list_changed, so that a burst of them costs one look.
    Milliseconds list_changed_pause{50};
    // So often a server is asked again because it says that they have changed.
    RateLimits list_changes{.burst = 10, .interval = Milliseconds(1000)};
    // A list counts as good for so long whatever the server says: what is used all the time must
    // not be asked for all the time.
    Milliseconds list_fresh_min{5000};
    Milliseconds discover_max{10'000};  // for server/discover; then the server may be older
    Milliseconds listen_pause{1000};    // before subscriptions/listen again; grows
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

  // Handshake, to be done by `deadline`, and first lists. While the link says that something is
  // prepared and that visibly goes on, the time to `deadline` begins anew, up to install_max.
  // Errors have phase, reason and stderr tail: timed_out, protocol, unavailable (the link ended),
  // cancelled.
  io::Task<Result<void>> open(TimePoint deadline);

  // From now on is_open() is false and no call is taken; close() follows.
  void give_up() { given_up_ = true; }
  // Ends the link and every task; calls in flight fail at once. Once only, and from a task that
  // nobody cancels: a half-closed connection could not be destroyed.
  io::Task<void> close();

  // Why the link ended; before that the stderr so far.
  [[nodiscard]] transport::LinkEnd end() const;
  [[nodiscard]] std::uint64_t late_answers() const { return calls_.late_answers(); }

  io::Task<Result<rpc::Message>> call(std::string method,
                                      SharedText params,
                                      CallOptions options) override;
  // Not for 2026-07-28, where one call may be many requests, nor for links with headers, whose
  // calls fail one by one.
  std::unique_ptr<OpenCall> begin_call(std::string_view method,
                                       const rpc::Outgoing& params,
                                       CallOptions options,
                                       Answered answered) override;
  io::Task<Result<void>> refresh() override;
  [[nodiscard]] bool has_stale_lists() const override { return stale_lists().any(); }
  void note_use() override;
  [[nodiscard]] io::Task<Result<void>> check_page(std::string url) const override {
    return io::check_page(std::move(url), options_.pages);
  }
  void tell_roots_changed() override;
  [[nodiscard]] bool is_open() const override { return phase_ == Phase::open && !given_up_; }
  [[nodiscard]] const mcp::Listing& listing() const override { return listing_; }
  [[nodiscard]] std::uint64_t listing_revision() const override { return listing_revision_; }
  [[nodiscard]] std::string server_version() const override;
  [[nodiscard]] std::string protocol_version() const override { return std::string(traits().name); }
  [[nodiscard]] const mcp::RevisionTraits& traits() const { return opening_.traits(); }
  [[nodiscard]] int process_id() const override { return transport_->process_id(); }
  [[nodiscard]] std::size_t calls_in_flight() const override {
    return calls_.waiting() - (is_listening_ ? 1 : 0);
  }

 private:
  enum class Phase : std::uint8_t { opening, open, ended };

  static constexpr std::size_t list_count = 3;
  using ListSet = std::bitset<list_count>;  // by mcp::ListKind

  // One request under way, in the frame of the task that waits for it or in an OpenCall. Leaving
  // that frame before the answer came tells the server.
  class Pending {
   public:
    explicit Pending(LiveConnection* connection) : connection_(connection) {}
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    Pending(Pending&&) = delete;
    Pending& operator=(Pending&&) = delete;
    ~Pending() { connection_->abandon(*this, "cancelled by the client"); }

    // Whoever waits goes on: soon, or (settle_now, and where no task waits) before this returns.
    // Then this and much else may be gone.
    void settle(Result<rpc::Message>&& value) {
      if (answered) {
        std::exchange(answered, nullptr)(std::move(value));
      } else {
        answer.set(std::move(value));
      }
    }
    void settle_now(Result<rpc::Message>&& value) {
      if (answered) {
        std::exchange(answered, nullptr)(std::move(value));
      } else {
        answer.set_now(std::move(value));
      }
    }

    std::string method;
    std::function<void(json::Value)> on_progress;
    std::shared_ptr<HostLink> host;
    Answered answered;  // empty: a task waits for `answer`
    io::OneShot<rpc::Message> answer;
    rpc::CallNumber number = 0;  // 0 when it is not (or no longer) under way

   private:
    LiveConnection* connection_;
  };

  // Tells Options::on_call, however the frame of the call is left.
  class CountedCall {
   public:
    explicit CountedCall(const std::function<void(bool)>& on_call) : on_call_(on_call) {
      if (on_call_) {
        on_call_(true);
      }
    }
    CountedCall(const CountedCall&) = delete;
    CountedCall& operator=(const CountedCall&) = delete;
    CountedCall(CountedCall&&) = delete;
    CountedCall& operator=(CountedCall&&) = delete;
    ~CountedCall() {
      if (on_call_) {
        on_call_(false);
      }
    }

   private:
    const std::function<void(bool)>& on_call_;
  };

  // A call that no task waits for.
  struct HeldCall final : OpenCall {
    explicit HeldCall(LiveConnection* connection)
        : count(connection->options_.on_call), pending(connection) {}
    CountedCall count;
    Pending pending;
  };

  struct ListFetch;
  struct ModernCall;

  // All lists, for somebody who waits.
  struct Refresh {
    explicit Refresh(const io::Executor& executor) : ended(executor) {}
    io::Condition ended;
    std::optional<Result<void>> result;
  };

  // Whether Options::on_call hears of a request: not of those inside a call that it knows.
  enum class Counted : std::uint8_t { no, yes };

  io::Task<Result<rpc::Message>> call_once(std::string method,
                                           SharedText params,
                                           CallOptions options,
                                           Counted counted = Counted::no);
  // 2026-07-28: answers what the server asks and follows tasks until there is a result.
  io::Task<Result<rpc::Message>> call_to_the_end(std::string method,
                                                 SharedText params,
                                                 CallOptions options);
  io::Task<Result<bool>> go_on(ModernCall* call, rpc::Message* answer);
  io::Task<Result<bool>> answer_round(ModernCall* call, const rpc::Message* answer);
  io::Task<Result<std::vector<mcp::AnsweredQuestion>>> answer_questions(
      ModernCall* call, std::vector<mcp::Question> questions);
  io::Task<Result<std::string>> answer_question(ModernCall* call, const mcp::Question* question);
  io::Task<Result<bool>> follow_task(ModernCall* call, rpc::Message* answer);
  io::Task<Result<bool>> look_at_task(ModernCall* call, rpc::Message* answer, mcp::TaskPoll* poll);
  io::Task<Result<bool>> answer_task(ModernCall* call,
                                     const rpc::Message* task,
                                     const mcp::TaskPoll* poll);
  void send_unawaited(std::string_view method, const SharedText& params);
  [[nodiscard]] http::Headers headers_of(const rpc::Message& request) const;
  void read_header_params();
  io::Task<void> listen();
  io::Task<bool> listen_once();

  // Sends a request. io: the link did not take it, see reason_not_sent().
  Result<void> begin(Pending& pending, const SharedText& params, rpc::CallTimes times);
  Result<void> begin(Pending& pending, const rpc::Outgoing& params, rpc::CallTimes times);
  template <class Params>
  Result<void> send_request(Pending& pending, const Params& params, rpc::CallTimes times);
  io::Task<Error> reason_not_sent(std::string method, Error error);
  void abandon(Pending& pending, std::string_view reason);
  Pending* take_waiting(rpc::CallNumber number);

  void tell(rpc::Outgoing message);

  io::Task<void> read();
  void on_message(rpc::Message&& message);
  void on_call_failure(const rpc::Id& id, Error error);
  void on_request(rpc::Message message);
  void hold(rpc::CallNumber number, bool begins);
  void on_notification(rpc::Message&& message);
  void on_end();
  [[nodiscard]] io::OnEscape ends_link();
  [[nodiscard]] Error ended_error(const std::string& method) const;

  io::Task<void> watch_deadlines();
  void expire(TimePoint now);

  io::Task<Result<void>> handshake(TimePoint deadline);
  [[nodiscard]] CallOptions opening_limits(const mcp::Opening::Ask& ask, TimePoint deadline);
  io::Task<void> watch_start(Duration limit);
  void extend_initialize();
  [[nodiscard]] rpc::CallTimes list_times() const;
  io::Task<Result<void>> read_lists(ListSet wanted, rpc::CallTimes times);
  Result<void> begin_page(ListFetch& fetch, rpc::CallTimes times);
  static io::Task<void> finish_page(ListFetch* fetch);
  Result<void> keep_list(ListFetch& fetch);
  [[nodiscard]] ListSet stale_lists() const;
  void rebuild_listing();
  io::Task<void> follow_list_changes();
  io::Task<bool> follow_once();
  io::Task<bool> wait_for_list_change();
  static void settle(const std::shared_ptr<Refresh>& refresh, Result<void> result);

  std::unique_ptr<transport::Transport> transport_;
  Options options_;
  ConnectionEvents events_;
  mcp::Opening opening_;
  Phase phase_ = Phase::opening;
  bool given_up_ = false;     // see give_up()
  bool was_open_ = false;     // phase_ has been Phase::open
  std::string fault_;         // of ours, that has ended the link
  io::Condition link_ended_;  // phase_ has become Phase::ended

  rpc::CallTable calls_;
  std::unordered_map<rpc::CallNumber, Pending*> waiting_;  // the same calls as in calls_
  io::Condition earlier_deadline_;  // some call is due before deadline_armed_
  TimePoint deadline_armed_ = TimePoint::max();

  ForwardedRequests forwarded_;
  ProgressLimiter progress_;
  Rate completions_{forwarded_rate};  // there is no more to complete than was asked

  std::array<mcp::Listing, list_count> lists_;  // what each list gave last
  std::array<TimePoint, list_count> fresh_until_{};
  mcp::Listing listing_;  // all of them together
  std::uint64_t listing_revision_ = 0;
  // By the name of the tool; only those that have any.
  std::unordered_map<std::string, std::vector<mcp::HeaderParam>> header_params_;
  bool is_listening_ = false;             // subscriptions/listen is under way
  ListSet changed_;                       // the server says so, and we have not looked yet
  std::shared_ptr<Refresh> refresh_;      // asked for, and not begun
  std::shared_ptr<Refresh> reading_for_;  // under way
  io::Condition list_changed_;            // changed_ or refresh_
  Rate list_changes_{options_.list_changes};

  io::TaskGroup tasks_;
};

}  // namespace pi_mcp::servers
