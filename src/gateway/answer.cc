#include "gateway/answer.h"

#include "base/text.h"

namespace pi_mcp::gateway {

Answer::Answer(Mode mode, std::string text) {
  result_.text = std::move(text);
  // What servers, files and people wrote must not command the terminal that shows it.
  result_.text = text::printable(result_.text);
  details_.begin_object().member("mode", mode_name(mode));
}

Answer::Answer(Mode mode, ToolResult::Failure failure, std::string_view code, std::string text)
    : Answer(mode, std::move(text)) {
  result_.is_error = true;
  result_.failure = failure;
  details_.member("error", code);
}

ToolResult Answer::take() {
  if (result_.is_error) {
    details_.member("message", result_.text);
  }
  result_.details = details_.end_object().take();
  return std::move(result_);
}

}  // namespace pi_mcp::gateway
