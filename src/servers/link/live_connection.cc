#include "servers/link/live_connection.h"

#include <algorithm>
#include <utility>
#include <variant>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/loop/write_batch.h"
#include "mcp/header_params.h"
#include "mcp/methods.h"
#include "servers/link/link_text.h"
#include "servers/share/roots.h"

namespace pi_mcp::servers {

// Tells Options::on_call, however the frame of the call is left.
class LiveConnection::CountedCall {
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

// A call, in the frame of the task that waits for it or on its own. Leaving that frame before the
// answer came cancels it.
struct LiveConnection::CallUnderWay final : OpenCall {
  CallUnderWay(LiveConnection* link, Answered told) : connection(link), answered(std::move(told)) {}
  CallUnderWay(const CallUnderWay&) = delete;
  CallUnderWay& operator=(const CallUnderWay&) = delete;
  CallUnderWay(CallUnderWay&&) = delete;
  CallUnderWay& operator=(CallUnderWay&&) = delete;
  ~CallUnderWay() override {
    if (number != 0) {
      connection->link_.cancel(number, reason == nullptr ? std::string_view() : *reason, io::now());
      connection->perform();
    }
  }

  mcp::Call call(std::string_view method, CallOptions options) {
    reason = options.cancel_reason;
    return {.method = std::string(method),
            .times = {.quiet_max = options.quiet_max, .total_max = options.total_max},
            .on_progress = std::move(options.on_progress),
            .host = std::move(options.host),
            .session = options.session,
            .meta = std::move(options.meta),
            .declared = std::move(options.declared),
            .answered = [this](Result<rpc::Message>&& answer) {
              number = 0;
              std::exchange(answered, nullptr)(std::move(answer));
            }};
  }

  LiveConnection* connection;
  std::optional<CountedCall> counted;
  Answered answered;
  const std::string* reason = nullptr;
  rpc::CallNumber number = 0;  // 0: not (or no longer) under way
};

LiveConnection::LiveConnection(const io::Executor& executor,
                               std::unique_ptr<transport::Transport> transport,
                               Options options,
                               ConnectionEvents events)
    : transport_(std::move(transport)),
      server_(options.link.server),
      pages_(std::move(options.pages)),
      on_call_(std::move(options.on_call)),
      events_(std::move(events)),
      link_([&options, this] {
        options.link.look = [this] {
          std::string preparation = transport_->preparation();
          const std::uint64_t work = preparation.empty() ? 0 : transport_->work();
          return mcp::StartLook{.preparation = std::move(preparation), .work = work};
        };
        options.link.has_session = [this] {
          return transport_->has_session();
        };
        return std::move(options.link);
      }()),
      earlier_(executor),
      tasks_(executor) {
  transport_->on_call_failure([this](const rpc::Id& id, Error error) {
    link_.on_call_failure(id, std::move(error), io::now());
    perform();
  });
  transport_->on_answer_part([this](const rpc::Id& id) { link_.on_answer_part(id, io::now()); });
  transport_->on_headers([this](const rpc::Message& request) {
    http::Headers headers;
    if (traits().repeats_in_headers) {
      for (mcp::RequestHeader& header : mcp::request_headers(
               traits().revision, request, link_.lists().header_params_of(request))) {
        headers.push_back({.name = std::move(header.name), .value = std::move(header.value)});
      }
    }
    return headers;
  });
  transport_->on_stderr(events_.wrote_stderr);
}

LiveConnection::~LiveConnection() = default;

// Calls.

// What is done with an answer runs on at once; an error is told from the loop, so that all who have
// to hear of it do before any of them goes on.
io::Task<Result<rpc::Message>> LiveConnection::call(std::string method,
                                                    SharedText params,
                                                    CallOptions options) {
  const CountedCall counted(on_call_);
  io::OneShot<rpc::Message> answer;
  CallUnderWay call(this, [&answer](Result<rpc::Message>&& told) {
    told ? answer.set_now(std::move(told)) : answer.set(std::move(told));
  });
  const Result<rpc::CallNumber> number =
      link_.call(call.call(method, std::move(options)), std::move(params), io::now());
  call.number = number.value_or(0);
  perform();
  if (!number) {
    co_return fail(number.error());
  }
  co_return co_await answer.wait();
}

std::unique_ptr<OpenCall> LiveConnection::begin_call(std::string_view method,
                                                     const rpc::Outgoing& params,
                                                     CallOptions options,
                                                     Answered answered) {
  auto call = std::make_unique<CallUnderWay>(this, std::move(answered));
  std::optional<mcp::BegunCall> begun =
      link_.begin(call->call(method, std::move(options)), params, io::now());
  if (!begun) {
    return nullptr;
  }
  if (!transport_->send(std::move(begun->request))) {
    link_.forget(begun->number);
    return nullptr;
  }
  call->number = begun->number;
  call->counted.emplace(on_call_);
  watch_earlier_time();
  return call;
}

io::Task<Result<void>> LiveConnection::refresh() {
  const CountedCall counted(on_call_);
  const auto refreshed = std::make_shared<io::OneShot<void>>();
  link_.refresh([refreshed](Result<void> result) { refreshed->set(std::move(result)); }, io::now());
  perform();
  co_return co_await refreshed->wait();  // bounded by the reading of the lists
}

bool LiveConnection::look_for_unknown(std::function<void()> read) {
  const bool waits = link_.look_for_unknown(
      [read = std::move(read)](const Result<void>& /*result*/) { read(); }, io::now());
  perform();
  return waits;
}

bool LiveConnection::has_stale_lists() const {
  return is_open() && link_.lists().has_stale(io::now());
}

void LiveConnection::note_use() {
  link_.note_use(io::now());
  perform();
}

mcp::Watching LiveConnection::watch(const std::string& uri, bool by_itself) {
  const mcp::Watching watching = link_.watch(uri, by_itself, io::now());
  perform();
  return watching;
}

void LiveConnection::unwatch(const std::string& uri) {
  link_.unwatch(uri, io::now());
  perform();
}

void LiveConnection::tell_roots_changed() {
  link_.tell_roots_changed();
  perform();
}

void LiveConnection::want_log_level(const void* who, std::optional<mcp::LogLevel> level) {
  if (level) {
    log_levels_[who] = *level;
  } else if (log_levels_.erase(who) == 0) {
    return;
  }
  const auto least =
      std::ranges::min_element(log_levels_, {}, [](const auto& wanted) { return wanted.second; });
  link_.want_log_level(least == log_levels_.end() ? mcp::log_level_until_said : least->second,
                       io::now());
  perform();
}

// What the server sends.

io::Task<void> LiveConnection::read() {
  io::WriteBatches& batches = io::WriteBatches::of(co_await boost::asio::this_coro::executor);
  for (bool is_open = true; is_open;) {
    std::optional<Result<rpc::Message>> message = co_await transport_->receive();
    const io::WriteBatch batch(batches);
    while (message && (is_open = message->has_value())) {
      take(**std::move(message));
      message = transport_->receive_now();
    }
  }
  end_link();
}

void LiveConnection::take(rpc::Message&& message) {
  if (const mcp::Answered answered = link_.take_answer(message)) {
    answered(std::move(message));
  } else {
    link_.on_message(std::move(message), io::now());
    perform();
  }
}

// What the machine wants.

void LiveConnection::perform() {
  if (is_performing_) {
    return;
  }
  struct Performing {
    explicit Performing(bool* flag) : is(flag) { *is = true; }
    Performing(const Performing&) = delete;
    Performing& operator=(const Performing&) = delete;
    Performing(Performing&&) = delete;
    Performing& operator=(Performing&&) = delete;
    ~Performing() { *is = false; }
    bool* is;
  } const performing(&is_performing_);
  while (std::optional<mcp::Action> next = link_.next_action()) {
    std::visit([this](auto& action) { this->act(action); }, *next);
  }
  watch_earlier_time();
}

void LiveConnection::act(mcp::action::Send& send) {
  const Result<void> sent = transport_->send(std::move(send.message));
  if (sent) {
    return;
  }
  if (send.number == 0) {  // a link that has ended does not need it
    log::debug("server " + server_ + ": " + sent.error().message());
  } else {
    link_.on_not_sent(send.number, sent.error(), io::now());
  }
}

void LiveConnection::act(mcp::action::Complete& complete) {
  complete.answered(std::move(complete.answer));
}

void LiveConnection::act(mcp::action::Progress& progress) {
  const mcp::OnProgress* const listener =
      progress.on_progress ? &progress.on_progress : link_.in_flight().listener(progress.number);
  if (listener != nullptr && *listener) {
    (*listener)(progress.message.params());
  }
}

void LiveConnection::act(mcp::action::AskHost& question) {
  const mcp::QuestionNumber number = question.question;
  questions_[number] = tasks_.spawn(
      "carry a question", ask(std::move(question)), [this, number](const std::string& what) {
        end_question(number, fail(ErrorCode::unavailable, "an error inside pi-mcp: " + what));
      });
}

void LiveConnection::act(mcp::action::Asked& asked) {
  if (events_.asked) {
    events_.asked(asked);
  }
}

void LiveConnection::act(mcp::action::Withdraw& withdraw) {
  if (const auto asked = questions_.extract(withdraw.question)) {
    tasks_.cancel(asked.mapped());
  }
}

void LiveConnection::act(mcp::action::Opened& opened) {
  opened_.set(std::move(opened.result));
}

void LiveConnection::act(mcp::action::TellRefreshed& told) {
  told.refreshed(std::move(told.result));
}

void LiveConnection::act(mcp::action::ListingChanged& changed) {
  if (events_.listing_changed) {
    events_.listing_changed(listing());
  }
  if (events_.lists_changed) {
    events_.lists_changed(changed.said);
  }
}

void LiveConnection::act(mcp::action::LogMessage& message) {
  if (events_.log_message) {
    events_.log_message(message.notification.params(), message.session);
  }
}

void LiveConnection::act(mcp::action::ElicitationComplete& complete) {
  if (events_.elicitation_complete) {
    events_.elicitation_complete(complete.notification.params(), complete.session);
  }
}

void LiveConnection::act(mcp::action::ResourceUpdated& updated) {
  if (events_.resource_updated) {
    events_.resource_updated(updated.notification.params());
  }
}

void LiveConnection::act(mcp::action::LookForSession& /*look*/) {
  tasks_.spawn("look for a session", look_for_session(), ends_link());
}

io::Task<void> LiveConnection::look_for_session() {
  const bool wants_session = co_await transport_->wants_session();
  link_.on_session_look(wants_session, io::now());
  perform();
}

void LiveConnection::act(mcp::action::Starting& starting) {
  if (events_.starting) {
    events_.starting(starting.preparation);
  }
}

void LiveConnection::act(mcp::action::LinkDead& /*dead*/) {
  end_link();
}

void LiveConnection::act(mcp::action::LinkEnded& /*ended*/) {
  has_ended_ = true;
  if (was_open_ && events_.ended) {
    events_.ended(end());
  }
}

void LiveConnection::act(mcp::action::Note& note) {
  log::write(note.level, "server " + server_ + ": " + note.text);
}

// Questions to hosts.

namespace {

io::Task<Result<rpc::Message>> answer_of(mcp::action::AskHost* question, io::PageRule pages) {
  if (const TimePoint now = io::now(); question->turn > now) {
    const Result<void> slept = co_await io::sleep_for(question->turn - now);
    if (!slept) {
      co_return fail(slept.error());
    }
  }
  if (question->page) {
    const Result<void> checked = co_await io::check_page(*question->page, std::move(pages));
    if (!checked) {
      co_return fail(checked.error());
    }
  }
  // Every host that the machine knows came with a call of ours.
  const auto host = std::static_pointer_cast<HostLink>(question->host);
  co_return co_await host->ask(question->method, question->params);
}

}  // namespace

io::Task<void> LiveConnection::ask(mcp::action::AskHost question) {
  Result<rpc::Message> answer = co_await answer_of(&question, pages_);
  if (answer && question.method == mcp::method::roots_list && events_.told_roots) {
    events_.told_roots(question.host.get(), roots_digest(*answer));
  }
  end_question(question.question, std::move(answer));
}

void LiveConnection::end_question(mcp::QuestionNumber question, Result<rpc::Message> answer) {
  questions_.erase(question);
  link_.on_host_answer(question, std::move(answer), io::now());
  perform();
}

// Time.

void LiveConnection::watch_earlier_time() {
  if (link_.next_wake() < armed_) {
    earlier_.notify_all();
  }
}

io::Task<void> LiveConnection::watch_time() {
  auto wake = io::Wake::notified;
  while (wake != io::Wake::cancelled) {
    armed_ = link_.next_wake();
    wake = co_await earlier_.wait_until(armed_);
    if (wake == io::Wake::timed_out) {
      link_.on_time(io::now());
      perform();
    }
  }
}

// Start and end.

io::Task<Result<void>> LiveConnection::open(TimePoint deadline) {
  tasks_.spawn("read", read(), ends_link());
  tasks_.spawn("watch the time", watch_time(), ends_link());
  link_.open(deadline, io::now());
  perform();
  Result<void> opened = co_await opened_.wait();
  if (opened && has_ended_) {
    opened = fail(ErrorCode::unavailable, mcp::ended_text(end_in_short(), "during its start"));
  }
  was_open_ = opened.has_value();
  if (!opened && opened.error().code() == ErrorCode::cancelled) {
    link_.cancel(0, {}, io::now());
    perform();
  } else if (!opened) {
    co_return fail(link_failure(opened.error(), end(), *transport_));
  }
  co_return opened;
}

// The connection is of no use without the task that an exception has ended: it is over, and all
// that wait hear why.
io::OnEscape LiveConnection::ends_link() {
  return [this](const std::string& what) {
    fault_ = io::escaped_text(what);
    end_link();
  };
}

void LiveConnection::end_link() {
  link_.on_end(end_in_short(), io::now());
  perform();
}

transport::LinkEnd LiveConnection::end() const {
  transport::LinkEnd end = transport_->end();
  if (!fault_.empty()) {
    end.reason = fault_;
  }
  return end;
}

mcp::LinkEnd LiveConnection::end_in_short() const {
  if (!stopped_by_.empty()) {
    return {.reason = "it was stopped with " + stopped_by_, .last_words = {}, .is_wanted = true};
  }
  const transport::LinkEnd whole = end();
  return {.reason = whole.reason, .last_words = stderr_summary(whole.stderr_tail)};
}

io::Task<void> LiveConnection::close() {
  co_await transport_->close();
  end_link();
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::servers
