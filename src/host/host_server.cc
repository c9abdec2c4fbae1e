#include "host/host_server.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "host/call_progress.h"
#include "host/host_requests.h"
#include "host/methods.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/paced_work.h"
#include "io/loop/random.h"
#include "io/loop/task_group.h"
#include "io/loop/write_batch.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/requests.h"
#include "mcp/server/server_session.h"
#include "secrets/mask.h"

namespace pi_mcp::host {
namespace {

namespace upward = mcp::upward;

// An answer of this size waits until at most so much is queued for a host that does not read.
// Smaller ones do not wait: all that may be in flight together stay far below the queue's own
// limit.
constexpr std::size_t drain_bytes_min = std::size_t{64} << 10U;
constexpr std::size_t queued_bytes_max = std::size_t{1} << 20U;

constexpr std::size_t state_bytes = 24;  // of a requestState: nobody guesses it

// registry::Changes of resources within this time are told together.
constexpr Milliseconds resources_pause{100};

using FindMethod = const HostMethod* (*)(std::string_view name);

template <FindMethod Find>
const mcp::UpwardMethod* find_row(std::string_view name) {
  const HostMethod* const method = Find(name);
  return method != nullptr ? &method->row : nullptr;
}

std::string random_state() {
  return io::random_hex(state_bytes);
}

io::Task<rpc::Outgoing> ready(rpc::Outgoing reply) {
  co_return reply;
}

// Runs the machine: hands in what happens, and does what it says.
class HostServer final : public registry::SessionObserver {
 public:
  HostServer(transport::Transport& host,
             gateway::Session& session,
             HostOptions options,
             const io::Executor& executor)
      : host_(host),
        session_(session),
        on_met_(std::move(options.on_met)),
        find_method_(session.through() != nullptr ? find_through_method : find_method),
        machine_({.version = std::move(options.version),
                  .instructions = [this] { return instructions(session_); },
                  .capabilities = {},
                  .has = &has_,
                  .find_row = session.through() != nullptr ? find_row<find_through_method>
                                                           : find_row<find_method>,
                  .limits = options.limits,
                  .last_question = options.last_question,
                  .new_state = options.new_state ? std::move(options.new_state) : random_state,
                  .met_before = std::move(options.met_before)}),
        reports_(executor,
                 "log messages left out",
                 mcp::left_out_pause,
                 [this] {
                   machine_.report_left_out();
                   act();
                 }),
        rounds_(executor,
                "rounds of calls",
                mcp::expire_pause,
                [this] {
                  machine_.expire(io::now());
                  act();
                }),
        resources_(executor, "resources", resources_pause, [this] { tell_resources(); }),
        calls_(executor),
        batches_(io::WriteBatches::of(executor)),
        call_ended_(executor) {}

  io::Task<void> run();

  void changed(registry::Changes changes) override;
  void server_said(std::string_view server, json::Value params) override {
    if (session_.through() != nullptr) {
      machine_.on_log("", params, io::now());
    } else if (session_.host_kind() != render::HostKind::pi) {
      machine_.on_log(server, params, io::now());
    } else if (const Result<json::Document> kept =
                   json::Document::parse(secrets::mask_entry(params))) {
      machine_.on_log(server, kept->root(), io::now());  // the extension keeps it in a file
    }
    act();
  }
  void noticed(const registry::Notice& notice) override {
    if (session_.through() != nullptr) {
      return;  // nothing is said there but by the server
    }
    machine_.on_notice(notice.level, notice.text);
    act();
  }
  void resource_updated(std::string_view /*server*/, std::string_view /*uri*/) override {
    resources_.ask();
  }
  void elicitation_completed(json::Value params) override {
    machine_.notify(mcp::method::elicitation_complete, SharedText::copy(params.raw()));
    act();
  }

 private:
  // What is done for a request that runs.
  struct Work {
    mcp::RequestKey key;
    std::unique_ptr<tool::QuickCall> quick;
    std::unique_ptr<tool::QuickForward> forward;
    io::TaskGroup::TaskId task = 0;  // 0: a quick call that waits for its answer
  };

  void take_arrived(std::optional<Result<rpc::Message>> message);
  void act();
  void perform(upward::Send&& action);
  void perform(upward::Answer&& action) {
    machine_.on_answer(action,
                       find_method_(action.request.method())->answer(session_, action.request));
  }
  void perform(upward::Begin&& action) { begin(action.key, std::move(action.request)); }
  void perform(upward::Cancel&& action);
  void perform(upward::Answered&& action) {
    questions_->on_answer(action.question, std::move(action.answer));
  }
  void perform(upward::Unanswered&& action) { host_.settle(action.request); }
  void perform(upward::Watch&& action) {
    work_of(action.key);
    begin_task(action.key, watch(action.key, std::move(action.uris)));
  }
  void perform(upward::Unwatch&& action) { unwatch(action.uris); }
  void perform(upward::Met&& action);
  void perform(upward::RootsChanged&& /*action*/) { session_.tell_roots_changed(); }
  void perform(upward::LogLevelSet&& action) { session_.want_log_level(action.level); }
  void perform(upward::ReportLater&& /*action*/) { reports_.ask(); }
  void perform(upward::ExpireLater&& /*action*/) { rounds_.ask(); }

  [[nodiscard]] tool::CallContext context_of(mcp::RequestKey key, const rpc::Message& request);
  [[nodiscard]] bool wants_details(mcp::RequestKey key) {
    return session_.host_kind() == render::HostKind::pi || machine_.host_of(key).wants_details;
  }
  [[nodiscard]] mcp::AskerShown asker_shown() const {
    return session_.through() != nullptr                  ? mcp::AskerShown::known
           : session_.host_kind() == render::HostKind::pi ? mcp::AskerShown::by_host
                                                          : mcp::AskerShown::in_text;
  }
  // Null: it has ended.
  [[nodiscard]] Work* find_work(mcp::RequestKey key) {
    return key.place < work_.size() && work_[key.place].key == key ? &work_[key.place] : nullptr;
  }
  Work& work_of(mcp::RequestKey key);
  void begin(mcp::RequestKey key, rpc::Message&& request);
  void begin_task(mcp::RequestKey key, io::Task<rpc::Outgoing> task);
  io::Task<void> answer(mcp::RequestKey key, io::Task<rpc::Outgoing> task);
  void end_quick(mcp::RequestKey key, std::optional<tool::Answer> result);
  void end_large(mcp::RequestKey key, rpc::Outgoing reply);
  template <class Act>
  void guard(mcp::RequestKey key, const Act& act) {
    try {
      act();
    } catch (const std::exception& escaped) {
      fail_work(key, escaped.what());
    }
  }
  io::Task<rpc::Outgoing> finish_quick(mcp::RequestKey key);
  void end_work(mcp::RequestKey key, rpc::Outgoing reply);
  void fail_work(mcp::RequestKey key, const std::string& why);
  io::Task<rpc::Outgoing> watch(mcp::RequestKey key, std::vector<std::string> uris);
  void unwatch(const std::vector<std::string>& uris);
  void tell_resources();

  transport::Transport& host_;
  gateway::Session& session_;
  std::function<void(const mcp::HostInfo& host)> on_met_;
  FindMethod find_method_;
  mcp::DeclaredCapabilities has_;
  mcp::ServerSession machine_;
  // Null before the host said who it is. The second is the host as it declared itself to us.
  std::shared_ptr<OpenQuestions> questions_;
  std::shared_ptr<HostRequests> link_;
  io::PacedWork reports_;
  io::PacedWork rounds_;
  io::PacedWork resources_;
  io::TaskGroup calls_;
  io::WriteBatches& batches_;
  io::Condition call_ended_;
  std::deque<std::string> cancel_reasons_;  // by place; calls point to them
  std::vector<Work> work_;                  // by place
  bool is_taking_ = false;                  // messages of the host
  std::uint32_t acting_ = 0;                // act() inside act()
};

io::Task<void> HostServer::run() {
  session_.add_observer(*this);
  reports_.start();
  rounds_.start();
  resources_.start();
  act();
  host_.on_arrival([this] {
    if (acting_ == 0 && !is_taking_) {
      take_arrived(host_.receive_now());
    }
  });
  for (;;) {
    std::optional<Result<rpc::Message>> message = co_await host_.receive();
    auto wake = io::Wake::notified;
    is_taking_ = true;  // none that comes later overtakes it
    while (machine_.is_flooded() && wake != io::Wake::cancelled) {
      // Every call has a deadline of its own, so this ends.
      wake = co_await call_ended_.wait();
    }
    is_taking_ = false;
    if (!*message) {
      break;
    }
    take_arrived(std::move(message));
  }
  host_.on_arrival(nullptr);
  session_.remove_observer(*this);
  machine_.end();
  act();
  co_await calls_.join();
  co_await resources_.stop();
  co_await rounds_.stop();
  co_await reports_.stop();
  if (questions_) {
    session_.meet_host(nullptr);
    questions_->close();
  }
}

// The first of them may have been received already. What one of them causes may bring the next.
void HostServer::take_arrived(std::optional<Result<rpc::Message>> message) {
  is_taking_ = true;
  const io::WriteBatch batch(batches_);
  while (message && *message) {
    if (const std::optional<mcp::RequestKey> key = machine_.on_message(**message)) {
      begin(*key, **std::move(message));
    }
    act();
    message = machine_.is_flooded() ? std::nullopt : host_.receive_now();
  }
  is_taking_ = false;
}

void HostServer::act() {
  ++acting_;
  while (std::optional<mcp::UpwardAction> action = machine_.next()) {
    std::visit([this]<class Action>(Action&& now) { perform(std::forward<Action>(now)); },
               *std::move(action));
  }
  --acting_;
}

// What it can do is known from here on, before any server is started for it.
void HostServer::perform(upward::Met&& /*action*/) {
  if (!questions_) {
    questions_ = std::make_shared<OpenQuestions>(machine_, [this] { act(); });
  }
  link_ = std::make_shared<HostRequests>(questions_, machine_.host(), asker_shown(), std::nullopt);
  session_.meet_host(link_);
  if (on_met_) {
    on_met_(machine_.host());
  }
}

HostServer::Work& HostServer::work_of(mcp::RequestKey key) {
  work_.resize(std::max<std::size_t>(work_.size(), key.place + 1));
  work_[key.place].key = key;
  while (cancel_reasons_.size() <= key.place) {
    cancel_reasons_.emplace_back();
  }
  cancel_reasons_[key.place].clear();
  return work_[key.place];
}

void HostServer::begin(mcp::RequestKey key, rpc::Message&& request) {
  const HostMethod& method = *find_method_(request.method());
  work_of(key);
  tool::CallContext context = context_of(key, request);
  if (method.begin != nullptr) {
    auto quick =
        method.begin(session_, request, context, [this, key](std::optional<tool::Answer> result) {
          end_quick(key, std::move(result));
        });
    if (quick) {
      find_work(key)->quick = std::move(quick);
      return;
    }
  }
  if (method.begin_forward != nullptr) {
    find_work(key)->forward = method.begin_forward(
        session_, request, context, [this, key](std::optional<rpc::Outgoing> reply) {
          guard(key, [&] {
            reply ? end_large(key, *std::move(reply))
                  : begin_task(key, find_work(key)->forward->finish());
          });
        });
    if (find_work(key)->forward) {
      return;
    }
  }
  begin_task(key, method.serve(&session_, std::move(request), std::move(context)));
}

void HostServer::begin_task(mcp::RequestKey key, io::Task<rpc::Outgoing> task) {
  find_work(key)->task =
      calls_.spawn("mcp call", answer(key, std::move(task)), [this, key](const std::string& what) {
        fail_work(key, what);
      });
}

io::Task<void> HostServer::answer(mcp::RequestKey key, io::Task<rpc::Outgoing> task) {
  rpc::Outgoing reply = co_await std::move(task);
  if (reply.bytes() > drain_bytes_min) {
    (void)co_await host_.drain(queued_bytes_max);  // an ended link is seen by send()
  }
  end_work(key, std::move(reply));
}

// Called from the reading of a server's connection, which goes on.
void HostServer::end_quick(mcp::RequestKey key, std::optional<tool::Answer> result) {
  guard(key, [&] {
    result ? end_large(key, call_reply(session_, machine_.id_of(key), *result, wants_details(key)))
           : begin_task(key, finish_quick(key));
  });
}

// One that may have to wait for the host to read.
void HostServer::end_large(mcp::RequestKey key, rpc::Outgoing reply) {
  if (reply.bytes() > drain_bytes_min) {
    begin_task(key, ready(std::move(reply)));
  } else {
    end_work(key, std::move(reply));
  }
}

io::Task<rpc::Outgoing> HostServer::finish_quick(mcp::RequestKey key) {
  const tool::Answer result = co_await find_work(key)->quick->finish();
  co_return call_reply(session_, machine_.id_of(key), result, wants_details(key));
}

void HostServer::perform(upward::Cancel&& action) {
  cancel_reasons_[action.key.place] = std::move(action.reason);
  const Work* const work = find_work(action.key);
  if (work != nullptr && work->task != 0) {
    calls_.cancel(work->task);
  } else if (work != nullptr) {
    end_work(action.key, {});
  }
}

void HostServer::end_work(mcp::RequestKey key, rpc::Outgoing reply) {
  const Work ended = std::exchange(work_[key.place], {});  // destroyed last
  machine_.on_reply(key, std::move(reply));
  act();
  call_ended_.notify_all();
}

// The answer to a call that an exception has ended, so that no host waits for ever.
void HostServer::fail_work(mcp::RequestKey key, const std::string& why) {
  if (find_work(key) != nullptr) {
    end_work(key,
             rpc::failure(machine_.id_of(key),
                          rpc::error_code::internal_error,
                          "an error inside pi-mcp has ended this call: " + why));
  }
}

tool::CallContext HostServer::context_of(mcp::RequestKey key, const rpc::Message& request) {
  tool::CallContext context;
  context.meta = mcp::passed_meta(request.params());
  context.cancel_reason = &cancel_reasons_[key.place];
  const mcp::HostInfo& host = machine_.host_of(key);
  context.revision = host.revision;
  context.host = link_;
  if (mcp::traits(host.revision).asks_by_result || host_.has_streams()) {
    context.host = std::make_shared<HostRequests>(questions_, host, asker_shown(), key);
  }
  context.wants_details = wants_details(key);
  if (machine_.wants_progress(key)) {
    tell_progress({.machine = &machine_,
                   .act =
                       [this] {
                         act();
                       }},
                  key,
                  request,
                  session_,
                  context);
  }
  return context;
}

// What cannot be watched is left out of what is acknowledged.
io::Task<rpc::Outgoing> HostServer::watch(mcp::RequestKey key, std::vector<std::string> uris) {
  std::vector<std::string> watched;
  for (const std::string& uri : uris) {
    if (co_await session_.resources().listen(uri, {})) {
      watched.push_back(uri);
    }
  }
  if (machine_.on_listening(key, watched)) {
    co_return rpc::Outgoing();
  }
  unwatch(watched);
  co_return rpc::failure(
      machine_.id_of(key), rpc::error_code::invalid_request, mcp::too_many_listens);
}

void HostServer::unwatch(const std::vector<std::string>& uris) {
  for (const std::string& uri : uris) {
    session_.resources().stop_listening(uri);
  }
}

void HostServer::changed(registry::Changes changes) {
  if (const tool::Through* const through = session_.through()) {
    has_ = through->declared();
  }
  for (const auto& [is_changed, method] :
       {std::pair(changes.tools, mcp::method::tools_list_changed),
        {changes.prompts, mcp::method::prompts_list_changed},
        {changes.resources, mcp::method::resources_list_changed}}) {
    if (is_changed) {
      machine_.notify(method);
    }
  }
  if (changes.listings || changes.state) {
    resources_.ask();
  }
  act();
}

void HostServer::tell_resources() {
  std::vector<std::string> changed = session_.resources().take_updated();
  const auto ours = session_.own_resources().take_changed();
  changed.insert(changed.end(), ours.begin(), ours.end());
  for (const std::string& uri : changed) {
    json::Writer params;
    params.begin_object().member("uri", uri).end_object();
    machine_.notify(mcp::method::resource_updated, SharedText(params.take()), uri);
  }
  act();
}

// A message that cannot be sent is lost with the link, which receive() sees; or the host does not
// read, and then it is better to lose one message than to grow.
void HostServer::perform(upward::Send&& action) {
  const Result<void> sent = action.during.exists()
                                ? host_.send_during(std::move(action.message), action.during)
                                : host_.send(std::move(action.message));
  if (!sent) {
    log::debug("to the host: " + sent.error().message());
  }
}

}  // namespace

io::Task<void> serve_host(transport::Transport* host,
                          gateway::Session* session,
                          HostOptions options) {
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  HostServer server(*host, *session, std::move(options), executor);
  co_await server.run();
}

}  // namespace pi_mcp::host
