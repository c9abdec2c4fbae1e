#include "mcp/client/host_questions.h"

#include <algorithm>
#include <utility>

#include "mcp/client/request_owner.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

std::string too_much() {
  constexpr std::size_t per_second = std::chrono::seconds(1) / forwarded_rate.interval;
  return "too many requests: " + std::to_string(forwarded_rate.burst) +
         " at once are passed on to the host, then " + std::to_string(per_second) + " a second";
}

std::string nobody_to_ask(std::string_view method) {
  return method == method::roots_list
             ? "there is no single host to ask"
             : std::string(method) + " is passed on to a host during one of its calls only";
}

bool is_for_hosts(std::string_view method) {
  return method == method::roots_list || method == method::elicitation_create ||
         method == method::sampling_create_message;
}

// Of pages whose end somebody may still be told of.
constexpr std::size_t pages_max = 64;

}  // namespace

// A person or a model is asked only by whom a call has given the word: anything else comes out of
// nowhere, at any time, and in front of somebody who did nothing.
void HostQuestions::on_request(const rpc::Message& request, TimePoint now) {
  const auto refuse = [&](std::int64_t code, const std::string& why) {
    outbox_->tell(rpc::failure(request.id(), code, why));
  };
  RequestOwner owner = owner_of(request.during(), in_flight_->calls_of_hosts());
  if (!owner.host && request.method() == method::roots_list && options_.roots_host) {
    owner.host = options_.roots_host();
  }
  std::optional<Refusal> refusal =
      refusal_of(request.method(), request.params(), options_.features);
  const std::optional<Refusal> beyond_session =
      refusal ? std::nullopt
              : beyond(request.method(), request.params(), owner.session, owner.host.get());
  if (is_for_hosts(request.method())) {
    outbox_->add(action::Asked{.method = std::string(request.method()),
                               .session = owner.session,
                               .is_beyond = beyond_session.has_value()});
  }
  if (refusal || beyond_session) {
    refusal = refusal ? refusal : beyond_session;
    return refuse(refusal->code, refusal->message);
  }
  if (!owner.host) {
    return refuse(rpc::error_code::invalid_request,
                  owner.problem.empty() ? nobody_to_ask(request.method()) : owner.problem);
  }
  if (find(request.id()) != asked_.end()) {
    return refuse(rpc::error_code::invalid_request, "this request id is in use");
  }
  if (requests() >= forwarded_requests_max) {
    return refuse(rpc::error_code::internal_error,
                  "too many requests of this server are under way");
  }
  const std::optional<TimePoint> turn = rate_.reserve(now);
  if (!turn) {
    return refuse(rpc::error_code::internal_error, too_much());
  }
  for (const rpc::CallNumber number : owner.calls) {
    in_flight_->calls().hold(number);
  }
  note_page(request.params().find("elicitationId").string_or(""), owner.session);
  ask({.id = request.id(),
       .method = request.method(),
       .calls = std::move(owner.calls),
       .defaults = {}},
      std::move(owner.host),
      request.params(),
      *turn);
}

Result<void> HostQuestions::on_question(const Question& question,
                                        const Call& asker,
                                        rpc::CallNumber rounds,
                                        TimePoint now) {
  std::optional<Refusal> refusal = refusal_of(question.method, question.params, options_.features);
  if (!refusal) {
    refusal = beyond(question.method, question.params, asker.session, asker.host.get());
  }
  if (refusal) {
    return fail(ErrorCode::protocol, refusal->message + ", and the server asks for it");
  }
  if (!asker.host) {
    return fail(ErrorCode::unavailable, "the server asks, and there is nobody to answer");
  }
  const std::optional<TimePoint> turn = rate_.reserve(now);
  if (!turn) {
    return fail(ErrorCode::unavailable, too_much());
  }
  note_page(question.params.find("elicitationId").string_or(""), asker.session);
  ask({.id = {}, .method = question.method, .calls = {}, .rounds = rounds, .defaults = {}},
      asker.host,
      question.params,
      *turn);
  return {};
}

void HostQuestions::ask(Asked asked,
                        std::shared_ptr<Host> host,
                        json::Value params,
                        TimePoint turn) {
  const AskerShown shown = host->asker_shown();
  if (shown != AskerShown::known) {
    asked.defaults = form_defaults(asked.method, params);
  }
  outbox_->add(
      action::AskHost{.question = ++last_,
                      .host = std::move(host),
                      .method = asked.method,
                      .params = forwarded_params(asked.method, params, options_.server, shown),
                      .turn = turn,
                      .page = page_of(asked.method, params)});
  asked_.emplace(last_, std::move(asked));
}

// What the link was opened with may be more than this session has.
std::optional<Refusal> HostQuestions::beyond(std::string_view method,
                                             json::Value params,
                                             const void* session,
                                             const Host* host) const {
  return options_.features_of && host != nullptr
             ? refusal_of(method, params, options_.features_of(session, *host))
             : std::nullopt;
}

void HostQuestions::note_page(std::string id, const void* session) {
  if (id.empty()) {
    return;
  }
  pages_.emplace_back(std::move(id), session);
  if (pages_.size() > pages_max) {
    pages_.pop_front();
  }
}

void HostQuestions::note_pages(json::Value error, const void* session) {
  for (const json::Value each : error.at({"data", "elicitations"}).elements()) {
    note_page(each.find("elicitationId").string_or(""), session);
  }
}

std::optional<const void*> HostQuestions::session_of_page(json::Value params) const {
  const json::Value id = params.find("elicitationId");
  const auto found =
      std::ranges::find_if(pages_, [id](const auto& page) { return id.equals(page.first); });
  return found == pages_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t HostQuestions::requests() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(asked_, [](const auto& asked) { return asked.second.id.exists(); }));
}

std::map<QuestionNumber, HostQuestions::Asked>::iterator HostQuestions::find(const rpc::Id& id) {
  return std::ranges::find_if(
      asked_, [&id](const auto& asked) { return id.exists() && asked.second.id == id; });
}

std::optional<rpc::CallNumber> HostQuestions::on_host_answer(QuestionNumber question,
                                                             Result<rpc::Message>& answer,
                                                             TimePoint now) {
  const auto found = asked_.extract(question);
  if (found.empty()) {
    return std::nullopt;
  }
  const Asked& asked = found.mapped();
  for (const rpc::CallNumber number : asked.calls) {
    in_flight_->calls().release(number, now);
  }
  if (answer) {
    answer = with_form_defaults(*std::move(answer), asked.defaults);
  }
  if (!asked.id.exists()) {
    return asked.rounds;
  }
  outbox_->tell(answer ? forwarded_answer(asked.id, *answer)
                       : forwarded_failure(asked.id, asked.method, answer.error()));
  return std::nullopt;
}

void HostQuestions::on_cancelled(const rpc::Id& id, TimePoint now) {
  const auto found = find(id);
  if (found == asked_.end()) {
    return;
  }
  for (const rpc::CallNumber number : found->second.calls) {
    in_flight_->calls().release(number, now);
  }
  outbox_->add(action::Withdraw{found->first});
  asked_.erase(found);
}

void HostQuestions::on_call_end(rpc::CallNumber number) {
  for (auto it = asked_.begin(); it != asked_.end();) {
    const auto one = it++;
    Asked& asked = one->second;
    const bool has_waited = std::erase(asked.calls, number) > 0 || asked.rounds == number;
    if (!has_waited || !asked.calls.empty()) {
      continue;
    }
    outbox_->add(action::Withdraw{one->first});
    if (asked.id.exists()) {
      outbox_->tell(
          forwarded_failure(asked.id, asked.method, Error(ErrorCode::cancelled, "cancelled")));
    }
    asked_.erase(one);
  }
}

}  // namespace pi_mcp::mcp
