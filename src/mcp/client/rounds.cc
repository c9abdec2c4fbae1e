#include "mcp/client/rounds.h"

#include <algorithm>
#include <utility>

#include "mcp/discovery.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

// Between two requests when the server asks nothing and only wants time to pass.
constexpr Milliseconds round_pause{250};

bool misses_header(const rpc::Message& answer) {
  return answer.kind() == rpc::Message::Kind::failure &&
         answer.error().find("code").as_int() == error_code::header_mismatch;
}

// What the host says to a question, JSON.
Result<std::string> result_of_host(const Question& question, const Result<rpc::Message>& answer) {
  if (answer && answer->kind() == rpc::Message::Kind::result) {
    return std::string(answer->result().raw());
  }
  if (answer) {
    return fail(ErrorCode::unavailable, "the host refused: " + error_text(answer->error()));
  }
  if (answer.error().code() == ErrorCode::timed_out &&
      question.method == method::elicitation_create) {
    return std::string(R"({"action":"cancel"})");  // who does not answer has not decided
  }
  return fail(answer.error());
}

}  // namespace

Rounds::Rounds(Call call, SharedText params, Tasks tasks, TimePoint now)
    : call_(std::move(call)),
      tasks_(tasks),
      deadline_(call_.times.total_max > TimePoint::max() - now ? TimePoint::max()
                                                               : now + call_.times.total_max),
      params_(params),
      trips_(std::move(params)) {}

rpc::CallTimes Rounds::times(TimePoint now) const {
  return {.quiet_max = call_.times.quiet_max,
          .total_max = std::chrono::ceil<Milliseconds>(deadline_ - now)};
}

std::optional<SharedText> Rounds::task_to_cancel() const {
  return task_ && !task_->is_over() ? std::optional(task_->params()) : std::nullopt;
}

Rounds::Step Rounds::over(Error error) const {
  return Over{fail(std::move(error).while_doing(call_.method))};
}

Rounds::Step Rounds::again() {
  stage_ = Stage::call;
  return begin();
}

Rounds::Step Rounds::wait(TimePoint until) {
  wake_ = until;
  return Wait{until};
}

Rounds::Step Rounds::on_answer(Result<rpc::Message> answer, TimePoint now) {
  if (!answer) {
    return Over{std::move(answer)};
  }
  switch (stage_) {
    case Stage::call:
      return on_call(*std::move(answer), now);
    case Stage::look:
      return on_look(*std::move(answer), now);
    case Stage::result:
      return Over{std::move(answer)};
    case Stage::update:
    case Stage::questions:
      break;
  }
  stage_ = Stage::look;
  return wait(std::min(now + task_->pause(), deadline_));
}

Rounds::Step Rounds::on_call(rpc::Message answer, TimePoint now) {
  if (misses_header(answer) && call_.method == method::tools_call &&
      !std::exchange(lists_were_read_, true)) {
    asked_ = std::move(answer);
    return ReadLists{};  // the tool may want other headers now
  }
  if (answer.kind() == rpc::Message::Kind::failure || call_.declared) {
    return Over{std::move(answer)};
  }
  if (tasks_ == Tasks::by_request) {
    if (const json::Value task = answer.result().find("task")) {
      return begin_task(answer.id(), task, now);
    }
  }
  const ResultType type = result_type(answer.result());
  if (tasks_ != Tasks::by_server && type != ResultType::input_required) {
    return Over{std::move(answer)};
  }
  switch (type) {
    case ResultType::complete:
      return Over{std::move(answer)};
    case ResultType::task:
      return begin_task(answer.id(), answer.result(), now);
    case ResultType::input_required:
      asked_ = std::move(answer);
      return begin_questions(trips_.take(*asked_), now);
    case ResultType::unknown:
      break;
  }
  return over({ErrorCode::protocol, "the server answered with a kind of result that is not known"});
}

Rounds::Step Rounds::on_lists(bool were_read) {
  return were_read ? again() : Over{*std::exchange(asked_, std::nullopt)};
}

// Questions. One after the other: most are for a person.

Rounds::Step Rounds::begin_questions(Result<std::vector<Question>> questions, TimePoint now) {
  if (!questions) {
    return over(std::move(questions).error());
  }
  questions_ = *std::move(questions);
  answers_.clear();
  stage_ = Stage::questions;
  return questions_.empty() && !task_ ? wait(now + round_pause) : next_question();
}

Rounds::Step Rounds::next_question() {
  if (answers_.size() < questions_.size()) {
    return Ask{questions_[answers_.size()]};
  }
  if (task_) {
    stage_ = Stage::update;
    return Request{.method = method::tasks_update,
                   .params = task_->update(input_responses(answers_))};
  }
  params_ = trips_.params(answers_);
  return again();
}

Rounds::Step Rounds::on_host(Result<rpc::Message> answer) {
  const Question& question = questions_[answers_.size()];
  Result<std::string> result = result_of_host(question, answer);
  if (!result) {
    return over(std::move(result).error().while_doing(question.method));
  }
  answers_.push_back({.key = question.key, .result = *std::move(result)});
  return next_question();
}

// Tasks. The result of one takes the place of the answer that made it.

Rounds::Step Rounds::begin_task(const rpc::Id& id, json::Value created, TimePoint now) {
  Result<TaskPoll> poll = TaskPoll::begin(created);
  if (!poll) {
    return over(std::move(poll).error());
  }
  task_ = *std::move(poll);
  id_ = id;
  stage_ = Stage::look;
  return wait(std::min(now + task_->pause(), deadline_));
}

Rounds::Step Rounds::on_time(TimePoint now) {
  wake_ = TimePoint::max();
  if (stage_ == Stage::questions) {
    return next_question();
  }
  if (now >= deadline_) {
    return over({ErrorCode::timed_out, "the task of the server was not done in time"});
  }
  return Request{.method = method::tasks_get, .params = task_->params()};
}

// The server gives it when the task is over; until then it may ask the host.
Rounds::Step Rounds::ask_for_result() {
  stage_ = Stage::result;
  return Request{.method = method::tasks_result, .params = task_->params()};
}

Rounds::Step Rounds::on_look(rpc::Message task, TimePoint now) {
  if (task.kind() == rpc::Message::Kind::failure) {
    return Over{std::move(task)};
  }
  const Result<TaskPoll::Status> status = task_->take(task.result());
  if (!status) {
    return over(status.error());
  }
  switch (*status) {
    case TaskPoll::Status::working:
      return wait(std::min(now + task_->pause(), deadline_));
    case TaskPoll::Status::input_required:
      if (tasks_ == Tasks::by_request) {
        return ask_for_result();
      }
      asked_ = std::move(task);
      return begin_questions(read_questions(asked_->result()), now);
    case TaskPoll::Status::cancelled:
      return over(
          {ErrorCode::unavailable, "the server has cancelled its task; " + task_->message()});
    case TaskPoll::Status::completed:
    case TaskPoll::Status::failed:
      if (tasks_ == Tasks::by_request) {
        return ask_for_result();
      }
      break;
  }
  Result<rpc::Message> outcome = task_outcome(id_, task.result());
  return outcome ? Over{std::move(outcome)} : over(std::move(outcome).error());
}

}  // namespace pi_mcp::mcp
