#include "tool/answer.h"

namespace pi_mcp::tool {

std::string text_of(const Answer& answer, Reader reader) {
  return answer.facts->text().said_to(reader);
}

std::string details_of(const Answer& answer, Reader reader) {
  json::Writer out;
  out.reserve(answer.facts->details_bytes());
  out.begin_object();
  if (answer.mode) {
    out.member("mode", row_of(*answer.mode).name);
  }
  if (!answer.code.empty()) {
    out.member("error", answer.code);
  }
  answer.facts->write_details(out);
  if (!answer.error_data.empty()) {
    out.member_raw("errorData", answer.error_data.view());
  }
  if (answer.is_error() && answer.passed.empty()) {
    out.member("message", text_of(answer, reader));
  }
  return out.end_object().take();
}

class Reply::Said final : public Facts {
 public:
  explicit Said(Message text) : text_(std::move(text)) {}

  [[nodiscard]] Message text() const override { return text_; }
  void write_details(json::Writer& out) const override {
    for (const auto& [key, json] : members_) {
      out.member_raw(key, json);
    }
  }
  void add(std::string_view key, std::string json) { members_.emplace_back(key, std::move(json)); }

 private:
  Message text_;
  std::vector<std::pair<std::string, std::string>> members_;
};

Reply::Reply(std::optional<Mode> mode, Message text)
    : Reply(mode, Failure::none, "", std::move(text)) {}

Reply::Reply(std::optional<Mode> mode, Failure failure, std::string_view code, Message text)
    : said_(std::make_shared<Said>(std::move(text))) {
  answer_.mode = mode;
  answer_.failure = failure;
  answer_.code = code;
  answer_.facts = said_;
}

Reply& Reply::with_json(std::string_view key, std::string json) {
  said_->add(key, std::move(json));
  return *this;
}

Answer Reply::take() {
  said_.reset();
  return std::move(answer_);
}

}  // namespace pi_mcp::tool
