#include "tool/consent/user_question.h"

#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"
#include "mcp/client_session.h"
#include "mcp/methods.h"

namespace pi_mcp::tool {
namespace {

// `schema` is that of the one field.
std::string question_of(std::string_view message, std::string_view schema) {
  json::Writer out;
  out.begin_object().member("message", text::printable(message));
  out.key("requestedSchema").begin_object().member("type", "object");
  out.key("properties").begin_object().member_raw("answer", schema).end_object();
  out.key("required").begin_array().string("answer").end_array();
  return out.end_object().end_object().take();
}

io::Task<Result<rpc::Message>> ask(CallContext context, std::string question) {
  if (!can_ask_user(context)) {
    co_return fail(ErrorCode::unavailable, "nobody can be asked here");
  }
  Result<rpc::Message> answer = co_await context.host->ask(
      std::string(mcp::method::elicitation_create), SharedText(std::move(question)));
  if (!answer) {
    co_return answer;
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    co_return fail(ErrorCode::unavailable, mcp::error_text(answer->error()));
  }
  if (!answer->result().find("action").equals("accept")) {
    co_return fail(ErrorCode::cancelled, "the user did not agree");
  }
  co_return answer;
}

json::Value content_of(const rpc::Message& answer) {
  return answer.result().at({"content", "answer"});
}

}  // namespace

bool can_ask_user(const CallContext& context) {
  return context.host && context.host->features().elicitation_form;
}

io::Task<Result<std::string>> ask_choice(CallContext context,
                                         std::string message,
                                         std::vector<UserChoice> choices) {
  // enum with enumNames: the one form of titled choices that every revision has.
  json::Writer schema;
  schema.begin_object().member("type", "string").key("enum").begin_array();
  for (const UserChoice& choice : choices) {
    schema.string(choice.value);
  }
  schema.end_array().key("enumNames").begin_array();
  for (const UserChoice& choice : choices) {
    schema.string(text::printable_line(choice.title));
  }
  const std::string question = question_of(message, schema.end_array().end_object().take());
  const Result<rpc::Message> answer = co_await ask(std::move(context), question);
  co_return answer ? content_of(*answer).string_or("") : Result<std::string>(fail(answer.error()));
}

io::Task<Result<std::vector<std::string>>> ask_several(CallContext context,
                                                       std::string message,
                                                       std::vector<UserChoice> choices) {
  json::Writer schema;
  schema.begin_object().member("type", "array").key("items").begin_object().key("anyOf");
  schema.begin_array();
  for (const UserChoice& choice : choices) {
    schema.begin_object().member("const", choice.value);
    schema.member("title", text::printable_line(choice.title)).end_object();
  }
  const std::string question =
      question_of(message, schema.end_array().end_object().end_object().take());
  const Result<rpc::Message> answer = co_await ask(std::move(context), question);
  if (!answer) {
    co_return fail(answer.error());
  }
  std::vector<std::string> chosen;
  chosen.reserve(choices.size());
  for (const json::Value value : content_of(*answer).elements()) {
    chosen.push_back(value.string_or(""));
  }
  co_return chosen;
}

io::Task<Result<std::string>> ask_text(CallContext context, std::string message) {
  const Result<rpc::Message> answer =
      co_await ask(std::move(context), question_of(message, R"({"type":"string"})"));
  co_return answer ? content_of(*answer).string_or("") : Result<std::string>(fail(answer.error()));
}

}  // namespace pi_mcp::tool
