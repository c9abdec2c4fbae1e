#include "auth/failure_text.h"

#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

// Long enough for a sentence, short enough for one line of a message.
constexpr std::size_t units_max = 200;

std::string cleaned(std::string_view text, const std::vector<std::string>& secrets) {
  std::string clean(text);
  for (const std::string& secret : secrets) {
    // Something this short would take ordinary words apart, and no server hands it out.
    constexpr std::size_t secret_bytes_min = 4;
    if (secret.size() >= secret_bytes_min) {
      clean = text::replace_all(clean, secret, "***");
    }
  }
  clean = text::replace_all(text::printable(clean), "\n", " ");
  return text::cut(clean, units_max);
}

}  // namespace

std::string refusal_text(std::string_view error,
                         std::string_view description,
                         const std::vector<std::string>& secrets) {
  std::string text = cleaned(error, secrets);
  const std::string more = cleaned(description, secrets);
  return more.empty() ? text : text + " (" + more + ")";
}

std::string failure_text(const http::Answer& answer, const std::vector<std::string>& secrets) {
  const Result<json::Document> document = json::Document::parse(answer.body);
  const json::Value root = document ? document->root() : json::Value();
  const std::string error = root.find("error").string_or("");
  if (error.empty()) {
    return "HTTP " + std::to_string(answer.head.status);
  }
  return refusal_text(error, root.find("error_description").string_or(""), secrets);
}

}  // namespace pi_mcp::auth
