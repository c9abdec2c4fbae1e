#include "host/host_requests.h"

#include "io/loop/clock.h"
#include "io/loop/with_deadline.h"
#include "json/document.h"
#include "mcp/forwarded_request.h"
#include "rpc/outgoing.h"

namespace pi_mcp::host {
namespace {

Error host_has_gone() {
  return {ErrorCode::unavailable, "the host has gone"};
}

io::Task<Result<rpc::Message>> ready(Result<rpc::Message> answer) {
  co_return answer;
}

}  // namespace

io::Task<Result<rpc::Message>> OpenQuestions::ask(std::string method,
                                                  SharedText params,
                                                  std::optional<mcp::RequestKey> during) {
  if (machine_ == nullptr) {
    co_return fail(host_has_gone());
  }
  const Result<mcp::QuestionToHost> question = machine_->ask(method, params, during, io::now());
  if (!question) {
    co_return fail(question.error());
  }
  io::OneShot<rpc::Message> answered;
  waiting_.emplace(question->number, &answered);
  act_();
  Result<rpc::Message> answer =
      co_await io::with_deadline(question->limit, method, answered.wait());
  waiting_.erase(question->number);
  if (!answer && machine_ != nullptr) {
    machine_->give_up(question->number);
    act_();
  }
  co_return answer;
}

void OpenQuestions::on_answer(std::int64_t question, rpc::Message answer) {
  if (const auto found = waiting_.find(question); found != waiting_.end()) {
    found->second->set(std::move(answer));
  }
}

void OpenQuestions::close() {
  machine_ = nullptr;
  for (const auto& [question, waiting] : waiting_) {
    waiting->set(fail(host_has_gone()));
  }
}

// A server may have been started for requests that declared more than this one.
io::Task<Result<rpc::Message>> HostRequests::ask(std::string method, SharedText params) {
  if (during_) {
    const Result<json::Document> said = json::Document::parse_view(params.view());
    const std::optional<mcp::Refusal> refusal =
        mcp::refusal_of(method, said ? said->root() : json::Value(), features_);
    if (refusal) {
      return ready(
          rpc::Message::parse(rpc::failure(rpc::Id(0), refusal->code, refusal->message).flat()));
    }
  }
  return questions_->ask(std::move(method), std::move(params), during_);
}

std::shared_ptr<servers::HostLink> absent_host(const mcp::HostInfo& host) {
  return std::make_shared<HostRequests>(
      std::make_shared<OpenQuestions>(), host, mcp::AskerShown::in_text, std::nullopt);
}

}  // namespace pi_mcp::host
