#include "secrets/secrets.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "http/url.h"

namespace pi_mcp::secrets {
namespace {

constexpr std::string_view mask = "***";
constexpr std::string_view cut_mark = "...";  // of text::cut()

// The beginning of a secret right before a mark that the text was cut there.
void hide_cut(std::string& text, std::string_view secret) {
  for (std::size_t mark = text.find(cut_mark); mark != std::string::npos;
       mark = text.find(cut_mark, mark + 1)) {
    const std::size_t most = std::min(mark, secret.size() - 1);
    for (std::size_t size = most; size >= secret_bytes_min; --size) {
      if (std::string_view(text).substr(mark - size, size) == secret.substr(0, size)) {
        text.replace(mark - size, size, mask);
        mark = mark - size + mask.size();
        break;
      }
    }
  }
}

}  // namespace

void Secrets::add(std::string_view value) {
  if (value.size() < secret_bytes_min || std::ranges::find(values_, value) != values_.end()) {
    return;
  }
  const auto place = std::ranges::find_if(
      values_, [value](const std::string& known) { return known.size() < value.size(); });
  values_.insert(place, std::string(value));
}

void Secrets::add_header(std::string_view value) {
  add(value);
  const std::size_t space = value.find(' ');
  if (space != std::string_view::npos) {
    add(value.substr(space + 1));
  }
}

void Secrets::add_url(std::string_view url) {
  const Result<http::Url> parsed = http::parse_url(url);
  if (!parsed) {
    return;
  }
  const auto add_both = [this](std::string_view part) {
    add(part);
    add(ascii::percent_decoded(part));
  };
  add_both(parsed->user_info);
  const std::size_t colon = parsed->user_info.find(':');
  add_both(std::string_view(parsed->user_info).substr(0, colon));
  if (colon != std::string::npos) {
    add_both(std::string_view(parsed->user_info).substr(colon + 1));
  }
  if (parsed->query.empty()) {
    return;
  }
  add(parsed->target());
  add(parsed->query);
  for (const std::string_view pair : text::split(std::string_view(parsed->query).substr(1), '&')) {
    const std::size_t equals = pair.find('=');
    add_both(equals == std::string_view::npos ? pair : pair.substr(equals + 1));
  }
}

std::string Secrets::hidden_in(std::string text) const {
  for (const std::string& secret : values_) {
    text = text::replace_all(text, secret, mask);
    hide_cut(text, secret);
  }
  return text;
}

}  // namespace pi_mcp::secrets
