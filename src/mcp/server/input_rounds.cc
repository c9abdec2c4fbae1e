#include "mcp/server/input_rounds.h"

#include <algorithm>
#include <map>

#include "json/canonical.h"
#include "json/writer.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

bool is_of_a_round(std::string_view member) {
  return member == "_meta" || member == "inputResponses" || member == "requestState";
}

std::map<std::string, std::string> call_of(json::Value params) {
  std::map<std::string, std::string> members;
  for (const json::Member member : params.members()) {
    const std::string name = member.name();
    if (!is_of_a_round(name)) {
      members[name] = json::canonical(member.value);
    }
  }
  return members;
}

// What is wrong with the answer to such a question; empty: nothing.
std::string fault_of(std::string_view method, json::Value response) {
  if (!response.is_object()) {
    return "must be an object";
  }
  const json::Value action = response.find("action");
  if (method == method::elicitation_create && !action.equals("accept") &&
      !action.equals("decline") && !action.equals("cancel")) {
    return "must have an action: accept, decline or cancel";
  }
  if (method == method::roots_list && !response.find("roots").is_array()) {
    return "must have roots, an array";
  }
  if (method == method::sampling_create_message && !response.find("content")) {
    return "must have the content of a message";
  }
  return {};
}

}  // namespace

void InputRounds::ask(std::int64_t question, std::string method, SharedText params) {
  questions_.push_back(
      {.number = question, .method = std::move(method), .params = std::move(params)});
}

bool InputRounds::withdraw(std::int64_t question) {
  return std::erase_if(questions_,
                       [question](const Question& each) { return each.number == question; }) > 0;
}

std::string InputRounds::put(std::string state, TimePoint now) {
  json::Writer out;
  out.begin_object().member("resultType", "input_required");
  out.key("inputRequests").begin_object();
  for (const Question& question : questions_) {
    out.key(std::to_string(question.number)).begin_object();
    out.member("method", question.method);
    out.member_raw("params", question.params.empty() ? "{}" : question.params.view()).end_object();
  }
  out.end_object().member("requestState", state).end_object();
  state_ = std::move(state);
  since_ = now;
  return out.take();
}

bool InputRounds::is_same_call(json::Value params) const {
  const Result<json::Document> begun = json::Document::parse_view(params_.view());
  return begun && call_of(begun->root()) == call_of(params);
}

tl::expected<std::vector<InputRounds::Answer>, std::string> InputRounds::take(
    json::Value responses) {
  std::vector<Answer> answers;
  for (const Question& question : questions_) {
    const std::string key = std::to_string(question.number);
    const json::Value response = responses.find(key);
    if (!response) {
      continue;
    }
    if (const std::string fault = fault_of(question.method, response); !fault.empty()) {
      std::string why = "inputResponses[\"" + key + "\"] answers " + question.method;
      why.append(" and ").append(fault);
      return tl::unexpected(std::move(why));
    }
    Result<rpc::Message> result = rpc::Message::parse(
        rpc::result(rpc::Id(question.number), rpc::Outgoing(std::string(response.raw()))).flat());
    if (result) {
      answers.push_back({.question = question.number, .result = *std::move(result)});
    }
  }
  for (const Answer& answer : answers) {
    withdraw(answer.question);
  }
  return answers;
}

std::size_t InputRounds::bytes() const {
  std::size_t bytes = kept_ ? kept_->bytes() : 0;
  for (const Question& question : questions_) {
    bytes += question.params.size();
  }
  return bytes;
}

}  // namespace pi_mcp::mcp
