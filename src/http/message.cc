#include "http/message.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::http {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && text::lower(a) == text::lower(b);
}

// RFC 9110, 5.6.2.
bool is_token_character(char c) {
  return ascii::is_alphanumeric_or(c, "!#$%&'*+-.^_`|~");
}

}  // namespace

std::string_view find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (same_name(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

std::vector<std::string_view> find_headers(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> values;
  for (const Header& header : headers) {
    if (same_name(header.name, name)) {
      values.emplace_back(header.value);
    }
  }
  return values;
}

std::string Head::content_type() const {
  const std::string_view value = find("content-type");
  return text::lower(text::trim(value.substr(0, value.find(';'))));
}

bool is_valid(const Header& header) {
  using namespace std::string_view_literals;
  return !header.name.empty() &&
         std::all_of(header.name.begin(), header.name.end(), is_token_character) &&
         header.value.find_first_of("\r\n\0"sv) == std::string::npos;
}

}  // namespace pi_mcp::http
