#include "tool/sharing/carried_answer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include "json/writer.h"

namespace pi_mcp::tool {
namespace {

constexpr std::string_view answer_key = "pi-mcp/answer";
// Written for every answer, and not by its facts.
constexpr std::array<std::string_view, 4> common_members = {
    "mode", "error", "message", "errorData"};

// What the facts of the other process had to say.
class Carried final : public Facts {
 public:
  Carried(std::string text, std::string code, std::string details)
      : text_(std::move(text)), code_(std::move(code)), details_(std::move(details)) {}

  [[nodiscard]] Message text() const override { return text_; }
  void write_details(json::Writer& out) const override {
    const Result<json::Document> details = json::Document::parse_view(details_);
    if (!details) {
      return;
    }
    for (const json::Member member : details->root().members()) {
      if (std::ranges::find(common_members, member.name()) == common_members.end()) {
        out.member_raw(member.name(), member.value.raw());
      }
    }
  }
  [[nodiscard]] std::string_view code() const { return code_; }

 private:
  std::string text_;
  std::string code_;
  std::string details_;
};

}  // namespace

rpc::Outgoing carry_answer(const Answer& answer, std::string_view text) {
  json::Writer head;
  head.begin_object().key("content").begin_array();
  head.begin_object().member("type", "text").member("text", text).end_object().end_array();
  head.key("_meta").begin_object().key(answer_key).begin_object();
  head.member("failure", static_cast<std::int64_t>(answer.failure)).member("code", answer.code);
  head.member_raw("details", details_of(answer, Reader::shell));
  if (!answer.error_data.empty()) {
    head.member_raw("errorData", answer.error_data.view());
  }
  if (answer.passed.empty()) {
    return rpc::Outgoing(head.end_object().end_object().end_object().take());
  }
  rpc::Outgoing out(head.take());
  out.add(R"(,"passed":)");
  out.add(answer.passed);
  out.add("}}}");
  return out;
}

Result<Answer> take_carried(Mode mode, const rpc::Message& response) {
  const json::Value carried = response.result().at({"_meta", answer_key});
  const json::Value failure = carried.find("failure");
  if (!carried.is_object() || !failure || !carried.find("details").is_object()) {
    return fail(ErrorCode::protocol,
                "the shared process of pi-mcp answered what nobody understands");
  }
  std::string text;
  for (const json::Value block : response.result().find("content").elements()) {
    text += block.find("text").string_or("");
  }
  const auto facts = std::make_shared<const Carried>(std::move(text),
                                                     carried.find("code").string_or(""),
                                                     std::string(carried.find("details").raw()));
  Answer answer;
  answer.mode = mode;
  answer.failure = static_cast<Failure>(std::clamp<std::int64_t>(
      failure.as_int().value_or(0), 0, std::int64_t{static_cast<int>(Failure::cancelled)}));
  answer.code = facts->code();
  answer.facts = facts;
  if (const json::Value passed = carried.find("passed")) {
    answer.passed = response.share(passed);
  }
  if (const json::Value data = carried.find("errorData")) {
    answer.error_data = response.share(data);
  }
  return answer;
}

SharedText carry_phase(std::string_view token_json, std::string_view what, bool is_asked) {
  json::Writer out;
  out.begin_object().member_raw("progressToken", token_json);
  return SharedText(out.member("what", what).member("isAsked", is_asked).end_object().take());
}

void take_phase(const CallContext& context, json::Value params) {
  const auto& told = params.find("isAsked").bool_or(false) ? context.on_asked : context.on_phase;
  if (told) {
    told(params.find("what").string_or(""));
  }
}

}  // namespace pi_mcp::tool
