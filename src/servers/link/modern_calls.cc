// The part of LiveConnection for servers of 2026-07-28: calls that take several requests, headers
// that repeat what is in the body, and the stream on which the server tells what has changed.
#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "json/document.h"
#include "json/writer.h"
#include "mcp/discovery.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"
#include "mcp/round_trips.h"
#include "mcp/task_poll.h"
#include "servers/link/live_connection.h"

namespace pi_mcp::servers {
namespace {

// Between two requests when the server asks nothing and only wants time to pass.
constexpr Milliseconds round_pause{250};
constexpr Milliseconds listen_pause_max{60'000};
// A stream that lived so long was not refused.
constexpr std::chrono::seconds listened_long{30};

bool is_failure(const rpc::Message& answer, std::int64_t code) {
  return answer.kind() == rpc::Message::Kind::failure &&
         answer.error().find("code").as_int() == code;
}

std::string listen_params(const mcp::ServerCapabilities& can) {
  json::Writer out;
  out.begin_object().key("notifications").begin_object();
  for (const auto& [wanted, name] : {std::pair(can.tools_list_changed, "toolsListChanged"),
                                     std::pair(can.resources_list_changed, "resourcesListChanged"),
                                     std::pair(can.prompts_list_changed, "promptsListChanged")}) {
    if (wanted) {
      out.member(name, true);
    }
  }
  return out.end_object().end_object().take();
}

}  // namespace

// One call on its way through its requests.
struct LiveConnection::ModernCall {
  ModernCall(std::string called, SharedText with, CallOptions wanted)
      : method(std::move(called)),
        params(with),
        options(std::move(wanted)),
        deadline(io::now() + options.total_max),
        trips(std::move(with)) {}

  // What is left of the time of the whole call.
  [[nodiscard]] CallOptions limits() const {
    CallOptions left = options;
    left.total_max = std::chrono::ceil<Milliseconds>(deadline - io::now());
    return left;
  }

  std::string method;
  SharedText params;  // of the next request
  CallOptions options;
  TimePoint deadline;
  mcp::RoundTrips trips;
  bool lists_were_read = false;  // because the server missed a header
};

// Calls.

io::Task<Result<rpc::Message>> LiveConnection::call_to_the_end(std::string method,
                                                               SharedText params,
                                                               CallOptions options) {
  const CountedCall counted(options_.on_call);
  ModernCall call(std::move(method), std::move(params), std::move(options));
  for (;;) {
    Result<rpc::Message> answer = co_await call_once(call.method, call.params, call.limits());
    if (!answer) {
      co_return answer;
    }
    const Result<bool> over = co_await go_on(&call, &*answer);
    if (!over) {
      co_return fail(over.error());
    }
    if (*over) {
      co_return answer;
    }
  }
}

// Whether `answer` is what the caller waits for; if not, `call` has its next request. The result of
// a task takes the place of the answer that made it.
io::Task<Result<bool>> LiveConnection::go_on(ModernCall* call, rpc::Message* answer) {
  if (is_failure(*answer, mcp::error_code::header_mismatch) &&
      call->method == mcp::method::tools_call && !std::exchange(call->lists_were_read, true)) {
    const Result<void> read = co_await refresh();  // the tool may want other headers now
    co_return !read;
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    co_return true;
  }
  switch (mcp::result_type(answer->result())) {
    case mcp::ResultType::complete:
      co_return true;
    case mcp::ResultType::task:
      co_return co_await follow_task(call, answer);
    case mcp::ResultType::input_required:
      co_return co_await answer_round(call, answer);
    case mcp::ResultType::unknown:
      break;
  }
  co_return fail(ErrorCode::protocol,
                 call->method + ": the server answered with a kind of result that is not known");
}

io::Task<Result<bool>> LiveConnection::answer_round(ModernCall* call, const rpc::Message* answer) {
  Result<std::vector<mcp::Question>> questions = call->trips.take(*answer);
  if (!questions) {
    co_return fail(std::move(questions).error().while_doing(call->method));
  }
  if (questions->empty()) {
    const Result<void> slept = co_await io::sleep_for(round_pause);
    if (!slept) {
      co_return fail(slept.error());
    }
  }
  const auto answers = co_await answer_questions(call, *std::move(questions));
  if (!answers) {
    co_return fail(Error(answers.error()).while_doing(call->method));
  }
  call->params = call->trips.params(*answers);
  co_return false;
}

// One after the other: most are for a person.
io::Task<Result<std::vector<mcp::AnsweredQuestion>>> LiveConnection::answer_questions(
    ModernCall* call, std::vector<mcp::Question> questions) {
  std::vector<mcp::AnsweredQuestion> answers;
  for (const mcp::Question& question : questions) {
    Result<std::string> result = co_await answer_question(call, &question);
    if (!result) {
      co_return fail(std::move(result).error().while_doing(question.method));
    }
    answers.push_back({.key = question.key, .result = *std::move(result)});
  }
  co_return answers;
}

// The host's result, JSON.
io::Task<Result<std::string>> LiveConnection::answer_question(ModernCall* call,
                                                              const mcp::Question* question) {
  const std::optional<mcp::Refusal> refusal =
      mcp::refusal_of(question->method, question->params, options_.features);
  if (refusal) {
    co_return fail(ErrorCode::protocol, refusal->message + ", and the server asks for it");
  }
  const std::shared_ptr<HostLink> host = call->options.host;
  if (!host) {
    co_return fail(ErrorCode::unavailable, "the server asks, and there is nobody to answer");
  }
  if (const std::optional<std::string> page = mcp::page_of(question->method, question->params)) {
    const Result<void> checked = co_await check_page(*page);
    if (!checked) {
      co_return fail(checked.error());
    }
  }
  const Result<void> turn = co_await forwarded_.wait_for_turn();
  if (!turn) {
    co_return fail(turn.error());
  }
  const Result<rpc::Message> answer = co_await host->ask(
      question->method,
      mcp::forwarded_params(
          question->method, question->params, options_.server, host->asker_shown()));
  if (answer && answer->kind() == rpc::Message::Kind::result) {
    co_return std::string(answer->result().raw());
  }
  if (answer) {
    co_return fail(ErrorCode::unavailable, "the host refused: " + mcp::error_text(answer->error()));
  }
  if (answer.error().code() == ErrorCode::timed_out &&
      question->method == mcp::method::elicitation_create) {
    co_return std::string(R"({"action":"cancel"})");  // who does not answer has not decided
  }
  co_return fail(answer.error());
}

// Tasks.

io::Task<Result<bool>> LiveConnection::follow_task(ModernCall* call, rpc::Message* answer) {
  Result<mcp::TaskPoll> poll = mcp::TaskPoll::begin(answer->result());
  if (!poll) {
    co_return fail(std::move(poll).error().while_doing(call->method));
  }
  Result<bool> over = false;
  while (over && !*over) {
    over = co_await look_at_task(call, answer, &*poll);
  }
  if (!over && !poll->is_over()) {
    // Nobody waits for it any more, for whatever reason; the server may stop working on it.
    send_unawaited(mcp::method::tasks_cancel, poll->params());
  }
  co_return over;
}

// After the pause that the server wants. Whether the task is over, and then `answer` is its
// outcome.
io::Task<Result<bool>> LiveConnection::look_at_task(ModernCall* call,
                                                    rpc::Message* answer,
                                                    mcp::TaskPoll* poll) {
  using Status = mcp::TaskPoll::Status;
  const Duration left = call->deadline - io::now();
  const Result<void> slept = co_await io::sleep_for(std::min<Duration>(poll->pause(), left));
  if (!slept) {
    co_return fail(slept.error());
  }
  if (io::now() >= call->deadline) {
    co_return fail(ErrorCode::timed_out,
                   call->method + ": the task of the server was not done in time");
  }
  Result<rpc::Message> task =
      co_await call_once(std::string(mcp::method::tasks_get), poll->params(), call->limits());
  if (!task) {
    co_return fail(std::move(task).error());
  }
  if (task->kind() == rpc::Message::Kind::failure) {
    *answer = *std::move(task);
    co_return true;
  }
  const Result<Status> status = poll->take(task->result());
  if (!status) {
    co_return fail(Error(status.error()).while_doing(call->method));
  }
  switch (*status) {
    case Status::working:
      co_return false;
    case Status::input_required:
      co_return co_await answer_task(call, &*task, poll);
    case Status::cancelled:
      co_return fail(ErrorCode::unavailable,
                     call->method + ": the server has cancelled its task; " + poll->message());
    case Status::completed:
    case Status::failed:
      break;
  }
  Result<rpc::Message> outcome = mcp::task_outcome(answer->id(), task->result());
  if (!outcome) {
    co_return fail(std::move(outcome).error().while_doing(call->method));
  }
  *answer = *std::move(outcome);
  co_return true;
}

io::Task<Result<bool>> LiveConnection::answer_task(ModernCall* call,
                                                   const rpc::Message* task,
                                                   const mcp::TaskPoll* poll) {
  Result<std::vector<mcp::Question>> questions = mcp::read_questions(task->result());
  if (!questions) {
    co_return fail(std::move(questions).error().while_doing(call->method));
  }
  const auto answers = co_await answer_questions(call, *std::move(questions));
  if (!answers) {
    co_return fail(Error(answers.error()).while_doing(call->method));
  }
  const Result<rpc::Message> taken =
      co_await call_once(std::string(mcp::method::tasks_update),
                         poll->update(mcp::input_responses(*answers)),
                         call->limits());
  co_return taken ? Result<bool>(false) : fail(taken.error());
}

// A request whose answer changes nothing.
void LiveConnection::send_unawaited(std::string_view method, const SharedText& params) {
  Pending pending(this);
  pending.method = method;
  const Result<void> begun = begin(pending, params, list_times());
  if (begun) {
    (void)calls_.abandon(pending.number);
    (void)take_waiting(pending.number);
  }
}

// Headers.

http::Headers LiveConnection::headers_of(const rpc::Message& request) const {
  if (!traits().repeats_in_headers) {
    return {};
  }
  static const std::vector<mcp::HeaderParam> none;
  const auto found = request.method() == mcp::method::tools_call
                         ? header_params_.find(request.params().find("name").string_or(""))
                         : header_params_.end();
  http::Headers headers;
  for (mcp::RequestHeader& header :
       mcp::request_headers(traits().revision, request, found == header_params_.end() ? none : found->second)) {
    headers.push_back({.name = std::move(header.name), .value = std::move(header.value)});
  }
  return headers;
}

// Tools whose annotations break the rules are left out, as a client has to over HTTP.
void LiveConnection::read_header_params() {
  header_params_.clear();
  if (!traits().repeats_in_headers || !options_.has_headers) {
    return;
  }
  mcp::Listing& tools = lists_.at(static_cast<std::size_t>(mcp::ListKind::tools));
  std::erase_if(tools.tools, [this](const mcp::Tool& tool) {
    if (tool.input_schema.view().find("x-mcp-header") == std::string_view::npos) {
      return false;
    }
    const Result<json::Document> schema = json::Document::parse_view(tool.input_schema.view());
    Result<std::vector<mcp::HeaderParam>> params =
        schema ? mcp::header_params(schema->root()) : fail(schema.error());
    if (!params) {
      log::warning("server " + options_.server + ": its tool " + text::printable(tool.name) +
                   " is left out: " + params.error().message());
      return true;
    }
    header_params_[tool.name] = *std::move(params);
    return false;
  });
}

// What has changed.

io::Task<void> LiveConnection::listen() {
  const mcp::ServerCapabilities& can = opening_.server().capabilities;
  if (!can.tools_list_changed && !can.resources_list_changed && !can.prompts_list_changed) {
    co_return;
  }
  Milliseconds pause = options_.listen_pause;
  for (;;) {
    const TimePoint began = io::now();
    const bool again = co_await listen_once();
    if (!again) {
      co_return;
    }
    if (io::now() - began > listened_long) {
      pause = options_.listen_pause;
    }
    const Result<void> slept = co_await io::sleep_for(pause);
    if (!slept) {
      co_return;
    }
    pause = std::min(pause * 2, listen_pause_max);
    changed_.set();  // nobody told what happened meanwhile
    list_changed_.notify_all();
  }
}

// One life of the stream. False: the server has none, or the connection is at its end.
io::Task<bool> LiveConnection::listen_once() {
  Pending pending(this);
  pending.method = mcp::method::subscriptions_listen;
  const rpc::CallTimes unlimited{.quiet_max = Duration::max(), .total_max = Duration::max()};
  const SharedText params(listen_params(opening_.server().capabilities));
  const Result<void> begun = begin(pending, params, unlimited);
  if (!begun) {
    co_return false;
  }
  is_listening_ = true;
  const Result<rpc::Message> answer = co_await pending.answer.wait();
  is_listening_ = false;
  if (!answer) {
    co_return phase_ != Phase::ended&& answer.error().code() != ErrorCode::cancelled;
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    log::info("server " + options_.server +
              ": it does not tell what changes: " + mcp::error_text(answer->error()));
    co_return false;
  }
  co_return true;
}

}  // namespace pi_mcp::servers
