#include "mcp/round_trips.h"

#include "json/writer.h"

namespace pi_mcp::mcp {

Result<std::vector<Question>> read_questions(json::Value result) {
  std::vector<Question> questions;
  for (const auto [key, request] : result.find("inputRequests").members()) {
    const std::string method = request.find("method").string_or("");
    if (method.empty()) {
      return fail(ErrorCode::protocol, "the server asks for input in a way that is none of MCP's");
    }
    if (questions.size() >= questions_max) {
      return fail(
          ErrorCode::protocol,
          "the server asks more than " + std::to_string(questions_max) + " questions at once");
    }
    questions.push_back(
        {.key = key.string_or(""), .method = method, .params = request.find("params")});
  }
  return questions;
}

std::string input_responses(const std::vector<AnsweredQuestion>& answers) {
  json::Writer out;
  out.begin_object();
  for (const AnsweredQuestion& answer : answers) {
    out.member_raw(answer.key, answer.result);
  }
  return out.end_object().take();
}

Result<std::vector<Question>> RoundTrips::take(const rpc::Message& answer) {
  Result<std::vector<Question>> questions = read_questions(answer.result());
  if (!questions) {
    return questions;
  }
  const json::Value state = answer.result().find("requestState");
  if (questions->empty() && !state.is_string()) {
    return fail(ErrorCode::protocol, "the server asks for input and does not say for which");
  }
  if (++rounds_ > rounds_max) {
    return fail(
        ErrorCode::protocol,
        "the server asked for input " + std::to_string(rounds_max) + " times and does so again");
  }
  state_ = state.is_string() ? SharedText::copy(state.raw()) : SharedText();
  return questions;
}

SharedText RoundTrips::params(const std::vector<AnsweredQuestion>& answers) const {
  const Result<json::Document> document = json::Document::parse_view(params_.view());
  json::Writer out;
  out.begin_object();
  if (document) {
    for (const auto [key, value] : document->root().members()) {
      if (!key.equals("inputResponses") && !key.equals("requestState")) {
        out.member_raw(key.string_or(""), value.raw());
      }
    }
  }
  if (!answers.empty()) {
    out.member_raw("inputResponses", input_responses(answers));
  }
  if (!state_.empty()) {
    out.member_raw("requestState", state_.view());
  }
  return SharedText(out.end_object().take());
}

}  // namespace pi_mcp::mcp
