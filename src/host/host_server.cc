#include "host/host_server.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "host/notices.h"
#include "host/progress.h"
#include "host/requests.h"
#include "host/resources.h"
#include "host/result_writer.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "io/loop/task_group.h"
#include "io/loop/write_batch.h"
#include "json/writer.h"
#include "mcp/methods.h"
#include "mcp/server_session.h"
#include "tool/definition.h"
#include "tool/failures.h"
#include "tool/request.h"

namespace pi_mcp::host {
namespace {

// An answer of this size waits until at most so much is queued for a host that does not read.
// Smaller ones do not wait: all that may be in flight together stay far below the queue's own
// limit.
constexpr std::size_t drain_bytes_min = std::size_t{64} << 10U;
constexpr std::size_t queued_bytes_max = std::size_t{1} << 20U;

// Resources of ours are for hosts that show them to people: others would offer them to the model.
std::string capabilities(render::HostKind host) {
  return std::string(R"({"logging":{},"prompts":{"listChanged":true},)") +
         (host == render::HostKind::pi ? R"("resources":{"subscribe":true},)" : "") +
         R"("tools":{"listChanged":true}})";
}

class HostServer final : public registry::SessionObserver {
 public:
  HostServer(transport::Transport& host,
             gateway::Session& session,
             HostOptions options,
             const io::Executor& executor)
      : host_(host),
        session_(session),
        handshake_({.version = std::move(options.version),
                    .capabilities_json = capabilities(session.host_kind()),
                    .instructions = {}}),
        on_met_(std::move(options.on_met)),
        notices_(executor, [this](rpc::Outgoing message) { send(std::move(message)); }),
        resources_(
            session.resources(),
            [this](rpc::Outgoing message) { send(std::move(message)); },
            executor),
        calls_(executor),
        call_ended_(executor) {}

  io::Task<void> run();

  void changed(registry::Changes changes) override;
  void server_said(std::string_view server, json::Value params) override {
    notices_.forward(server, params);
  }
  void noticed(const registry::Notice& notice) override { notices_.forward(notice); }
  void elicitation_completed(json::Value params) override {
    send(rpc::notification(mcp::method::elicitation_complete, SharedText::copy(params.raw())));
  }

 private:
  struct InFlight {
    io::TaskGroup::TaskId task = 0;          // 0: it waits for its turn, or has no task
    std::unique_ptr<tool::QuickCall> quick;  // then it has none, but for what follows its end
    bool cancelled = false;                  // by the host: it gets no answer
  };

  void on_message(rpc::Message&& message);
  void meet_host();
  void part_from_host();
  void serve(rpc::Message&& message);
  [[nodiscard]] bool is_manage(const rpc::Message& message) const {
    return session_.host_kind() == render::HostKind::pi &&
           message.params().find("name").equals(tool::manage_tool_name());
  }
  [[nodiscard]] bool has_resources() const { return session_.host_kind() == render::HostKind::pi; }
  void set_level(const rpc::Message& message);
  void take_call(rpc::Message&& message);
  void admit(rpc::Message&& message);
  void begin_call(rpc::Message&& message);
  bool begin_quick_call(const rpc::Message& message);
  [[nodiscard]] rpc::Outgoing result_of(const tool::Answer& answer);
  void end_quick_call(const std::string& id, std::optional<tool::Answer> result);
  io::Task<void> finish_quick_call(std::string id);
  io::Task<void> answer_in_time(std::string id, rpc::Outgoing answer);
  void answer_call(const std::string& id, rpc::Outgoing answer);
  void begin_waiting_call();
  [[nodiscard]] bool is_flooded() const {
    return waiting_.size() >= host_waiting_max || waiting_bytes_ >= host_waiting_bytes_max;
  }
  void cancel(const rpc::Id& id);
  io::Task<void> call(rpc::Message message);
  [[nodiscard]] tl::expected<tool::ToolRequest, tool::RequestError> request_of(
      const rpc::Message& message);
  [[nodiscard]] tool::CallContext context_of(const rpc::Message& message);
  [[nodiscard]] io::OnEscape fails_call(std::string id);
  [[nodiscard]] bool is_introduced() const {
    return handshake_.phase() != mcp::ServerSession::Phase::awaiting_initialize;
  }
  void send(rpc::Outgoing message);

  transport::Transport& host_;
  gateway::Session& session_;
  mcp::ServerSession handshake_;
  std::function<void(const mcp::HostInfo& host)> on_met_;
  HostNotices notices_;
  std::shared_ptr<HostRequests> requests_;  // null before the host said who it is
  HostResources resources_;
  io::TaskGroup calls_;
  io::Condition call_ended_;
  std::unordered_map<std::string, InFlight> in_flight_;  // by the JSON of the request id
  std::size_t running_ = 0;                              // calls that have a task
  std::deque<rpc::Message> waiting_;                     // calls that did not begin yet
  std::size_t waiting_bytes_ = 0;                        // of their messages
};

void HostServer::changed(registry::Changes changes) {
  if (changes.tools) {
    send(rpc::notification(mcp::method::tools_list_changed, SharedText()));
  }
  if (changes.prompts) {
    send(rpc::notification(mcp::method::prompts_list_changed, SharedText()));
  }
  if (has_resources() && (changes.listings || changes.state)) {
    resources_.mark();
  }
}

io::Task<void> HostServer::run() {
  session_.add_observer(*this);
  if (has_resources()) {
    resources_.start();
  }
  io::Turns& turns = io::Turns::of(co_await boost::asio::this_coro::executor);
  for (;;) {
    auto wake = io::Wake::notified;
    while (is_flooded() && wake != io::Wake::cancelled) {
      // Every call has a deadline of its own, so this ends.
      wake = co_await call_ended_.wait();
    }
    std::optional<Result<rpc::Message>> message = co_await host_.receive();
    if (!*message) {
      break;
    }
    const io::Turn turn(turns);
    do {
      on_message(**std::move(message));
      message = is_flooded() ? std::nullopt : host_.receive_now();
    } while (message && *message);
  }
  session_.remove_observer(*this);
  waiting_.clear();
  std::erase_if(in_flight_, [](const auto& call) { return call.second.task == 0; });
  calls_.cancel();
  co_await calls_.join();
  co_await resources_.stop();
  co_await notices_.stop();
  part_from_host();
}

void HostServer::on_message(rpc::Message&& message) {
  using Kind = mcp::ServerSession::Action::Kind;
  mcp::ServerSession::Action action = handshake_.on_message(message);
  switch (action.kind) {
    case Kind::reply:
      send(std::move(action.reply));
      if (is_introduced()) {
        notices_.begin();
      }
      break;
    case Kind::serve:
      serve(std::move(message));
      break;
    case Kind::cancel:
      cancel(action.cancelled);
      break;
    case Kind::answer:
      if (requests_) {
        requests_->on_answer(std::move(message));
      }
      break;
    case Kind::notice:
      if (message.method() == mcp::method::roots_list_changed) {
        session_.tell_roots_changed();
      }
      break;
    case Kind::initialized:
    case Kind::ignore:
      break;
  }
  if (!requests_ && handshake_.phase() != mcp::ServerSession::Phase::awaiting_initialize) {
    meet_host();
  }
}

// What it can do is known from here on, before any server is started for it.
void HostServer::meet_host() {
  const mcp::HostInfo& host = handshake_.host();
  requests_ = std::make_shared<HostRequests>(
      host.features,
      [this](rpc::Outgoing message) { send(std::move(message)); },
      session_.host_kind() == render::HostKind::pi ? mcp::AskerShown::by_host
                                                   : mcp::AskerShown::in_text);
  session_.meet_host(requests_);
  if (on_met_) {
    on_met_(host);
  }
}

void HostServer::part_from_host() {
  if (requests_) {
    session_.meet_host(nullptr);
    requests_->close();
  }
}

void HostServer::serve(rpc::Message&& message) {
  if (message.method() == mcp::method::tools_call) {
    take_call(std::move(message));
  } else if (message.method() == mcp::method::tools_list) {
    send(rpc::result(message.id(),
                     rpc::Outgoing(std::string(session_.direct_tools().list_result()))));
  } else if (message.method() == mcp::method::prompts_list) {
    send(rpc::result(message.id(), rpc::Outgoing(session_.prompts().list_result())));
  } else if (message.method() == mcp::method::prompts_get) {
    admit(std::move(message));
  } else if (message.method() == mcp::method::logging_set_level) {
    set_level(message);
  } else if (has_resources() && message.method().starts_with("resources/")) {
    send(resources_.answer(message));
  } else {
    send(mcp::unknown_method(message));
  }
}

void HostServer::set_level(const rpc::Message& message) {
  const std::string name = message.params().find("level").string_or("");
  const std::optional<registry::LogLevel> level = parse_log_level(name);
  if (!level) {
    send(rpc::failure(message.id(),
                      rpc::error_code::invalid_params,
                      "logging/setLevel needs params.level, one of debug, info, notice, warning, "
                      "error, critical, alert, emergency"));
    return;
  }
  notices_.set_level(*level);
  send(rpc::result(message.id(), rpc::Outgoing("{}")));
}

void HostServer::take_call(rpc::Message&& message) {
  const json::Value name = message.params().find("name");
  if (!session_.direct_tools().may_write(name) && !is_manage(message) &&
      session_.direct_tools().server_of(name.string_or("")) == nullptr) {
    send(rpc::failure(message.id(),
                      rpc::error_code::invalid_params,
                      "unknown tool " +
                          (name ? std::string(name.raw().substr(0, 128)) : "(no name)") +
                          "; \"mcp\" finds and calls every tool"));
    return;
  }
  admit(std::move(message));
}

// Begins to serve a request that takes time, or has it wait for its turn.
void HostServer::admit(rpc::Message&& message) {
  if (in_flight_.contains(message.id().json())) {
    send(rpc::failure(message.id(),
                      rpc::error_code::invalid_request,
                      "this request id is in use by a call that still runs"));
    return;
  }
  in_flight_.try_emplace(message.id().json());
  if (running_ < host_calls_max) {
    begin_call(std::move(message));
    return;
  }
  waiting_bytes_ += message.root().raw().size();
  waiting_.push_back(std::move(message));
}

void HostServer::begin_call(rpc::Message&& message) {
  ++running_;
  if (begin_quick_call(message)) {
    return;
  }
  InFlight& entry = in_flight_[message.id().json()];
  const std::string id(message.id().json());
  entry.task = calls_.spawn("mcp call", call(std::move(message)), fails_call(id));
}

void HostServer::begin_waiting_call() {
  if (!waiting_.empty()) {
    rpc::Message message = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= message.root().raw().size();
    begin_call(std::move(message));
  }
}

void HostServer::cancel(const rpc::Id& id) {
  const auto entry = in_flight_.find(id.json());
  if (entry == in_flight_.end()) {
    return;
  }
  if (entry->second.task != 0) {
    entry->second.cancelled = true;
    calls_.cancel(entry->second.task);
    return;
  }
  if (entry->second.quick) {
    entry->second.cancelled = true;
    answer_call(entry->first, {});
    return;
  }
  in_flight_.erase(entry);
  const auto waiting =
      std::find_if(waiting_.begin(), waiting_.end(), [&id](const rpc::Message& message) {
        return message.id() == id;
      });
  if (waiting != waiting_.end()) {
    waiting_bytes_ -= waiting->root().raw().size();
    waiting_.erase(waiting);
  }
}

rpc::Outgoing HostServer::result_of(const tool::Answer& answer) {
  return call_tool_result(
      answer,
      answer.passed.empty() ? session_.text_of(answer, tool::Reader::model) : std::string());
}

// A call of a direct tool is the call that `mcp` would make. `message` outlives the request.
tl::expected<tool::ToolRequest, tool::RequestError> HostServer::request_of(
    const rpc::Message& message) {
  const json::Value arguments = message.params().find("arguments");
  const json::Value called = message.params().find("name");
  const std::string name = called.string_or("");
  if (const std::optional<bool> may_write = session_.direct_tools().may_write(called)) {
    auto request = tool::parse_tool_request(message, arguments);
    const json::Value args = arguments.find("args");
    if (request) {
      request->args_value = args.is_object() ? args : request->args_value;
      request->may_write = *may_write;
    }
    return request;
  }
  if (arguments && !arguments.is_object()) {
    return tl::unexpected(tool::RequestError{
        .code = "invalid_args_type", .message = "The arguments of a tool are a JSON object."});
  }
  tool::ToolRequest request;
  request.mode = tool::Mode::call;
  request.subject = name;
  request.server = *session_.direct_tools().server_of(name);
  if (arguments) {
    request.args = message.share(arguments);
    request.args_value = arguments;
  }
  return request;
}

// The message lives in this frame, and with it the bytes of the arguments.
io::Task<void> HostServer::call(rpc::Message message) {
  rpc::Outgoing answer;
  if (message.method() == mcp::method::prompts_get) {
    answer = co_await session_.prompts().get(&message, context_of(message));
  } else if (is_manage(message)) {
    answer =
        rpc::result(message.id(), result_of(session_.manage(message.params().find("arguments"))));
  } else if (auto request = request_of(message)) {
    const tool::Answer found = co_await session_.run(*std::move(request), context_of(message));
    answer = rpc::result(message.id(), result_of(found));
  } else {
    answer = rpc::result(message.id(), result_of(tool::refused_request(request.error())));
  }
  if (answer.bytes() > drain_bytes_min) {
    (void)co_await host_.drain(queued_bytes_max);  // an ended link is seen by send()
  }
  answer_call(message.id().json(), std::move(answer));
}

// Most calls: no task, so nothing is allocated, posted and resumed for one.
bool HostServer::begin_quick_call(const rpc::Message& message) {
  if (message.method() != mcp::method::tools_call || is_manage(message)) {
    return false;
  }
  const auto request = request_of(message);
  if (!request) {
    return false;
  }
  const auto entry = in_flight_.find(message.id().json());
  entry->second.quick = session_.begin_quick_call(
      *request,
      context_of(message),
      [this, id = &entry->first](std::optional<tool::Answer> result) {
        const std::string ended = *id;
        try {
          end_quick_call(ended, std::move(result));
        } catch (const std::exception& escaped) {
          fails_call(ended)(escaped.what());  // the task of the server goes on
        }
      });
  return entry->second.quick != nullptr;
}

void HostServer::end_quick_call(const std::string& id, std::optional<tool::Answer> result) {
  InFlight& entry = in_flight_.at(id);
  if (!result) {
    entry.task = calls_.spawn("mcp call", finish_quick_call(id), fails_call(id));
    return;
  }
  rpc::Outgoing answer = rpc::result(rpc::Id::from_json(id), result_of(*result));
  if (answer.bytes() > drain_bytes_min) {
    entry.task = calls_.spawn("mcp call", answer_in_time(id, std::move(answer)), fails_call(id));
  } else {
    answer_call(id, std::move(answer));
  }
}

io::Task<void> HostServer::finish_quick_call(std::string id) {
  const tool::Answer result = co_await in_flight_.at(id).quick->finish();
  answer_call(id, rpc::result(rpc::Id::from_json(id), result_of(result)));
}

// Waits for a host that reads slower than it asks.
io::Task<void> HostServer::answer_in_time(std::string id, rpc::Outgoing answer) {
  (void)co_await host_.drain(queued_bytes_max);  // an ended link is seen by send()
  answer_call(id, std::move(answer));
}

// The answer to a call that an exception has ended, so that no host waits for ever.
io::OnEscape HostServer::fails_call(std::string id) {
  return [this, id = std::move(id)](const std::string& what) {
    if (in_flight_.contains(id)) {
      answer_call(id,
                  rpc::failure(rpc::Id::from_json(id),
                               rpc::error_code::internal_error,
                               "an error inside pi-mcp has ended this call: " + what));
    }
  };
}

void HostServer::answer_call(const std::string& id, rpc::Outgoing answer) {
  const auto entry = in_flight_.find(id);  // `id` may be its key
  const bool wanted = !entry->second.cancelled;
  in_flight_.erase(entry);
  --running_;
  begin_waiting_call();
  call_ended_.notify_all();
  if (wanted) {
    send(std::move(answer));
  }
}

tool::CallContext HostServer::context_of(const rpc::Message& message) {
  tool::CallContext context;
  context.host = requests_;
  std::string token = mcp::progress_token(message.params());
  if (token.empty()) {
    return context;
  }
  tell_progress(context, std::move(token), [this](rpc::Outgoing notification) {
    send(std::move(notification));
  });
  return context;
}

// A message that cannot be sent is lost with the link, which receive() sees; or the host does not
// read, and then it is better to lose one message than to grow.
void HostServer::send(rpc::Outgoing message) {
  const Result<void> sent = host_.send(std::move(message));
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
