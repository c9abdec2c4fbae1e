#include "io/http_message.h"

#include <algorithm>

#include "base/text.h"

namespace pi_mcp::io {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && text::lower(a) == text::lower(b);
}

// RFC 9110, 5.6.2.
bool is_token_character(char c) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         marks.find(c) != std::string_view::npos;
}

}  // namespace

std::string_view HttpHead::find(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (same_name(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

std::vector<std::string_view> HttpHead::find_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const HttpHeader& header : headers) {
    if (same_name(header.name, name)) {
      values.emplace_back(header.value);
    }
  }
  return values;
}

std::string HttpHead::content_type() const {
  const std::string_view value = find("content-type");
  return text::lower(text::trim(value.substr(0, value.find(';'))));
}

bool is_valid(const HttpHeader& header) {
  using namespace std::string_view_literals;
  return !header.name.empty() &&
         std::all_of(header.name.begin(), header.name.end(), is_token_character) &&
         header.value.find_first_of("\r\n\0"sv) == std::string::npos;
}

}  // namespace pi_mcp::io
