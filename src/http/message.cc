#include "http/message.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::http {
namespace {

// RFC 9110, 5.6.2.
bool is_token_character(char c) {
  return ascii::is_alphanumeric_or(c, "!#$%&'*+-.^_`|~");
}

}  // namespace

std::string_view find_header(const Headers& headers, std::string_view name) {
  for (const Header& header : headers) {
    if (ascii::is_same(header.name, name)) {
      return header.value;
    }
  }
  return {};
}

std::vector<std::string_view> find_headers(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> values;
  for (const Header& header : headers) {
    if (ascii::is_same(header.name, name)) {
      values.emplace_back(header.value);
    }
  }
  return values;
}

std::string_view media_type(std::string_view content_type) {
  return text::trim(content_type.substr(0, content_type.find(';')));
}

std::string Head::content_type() const {
  return text::lower(media_type(find("content-type")));
}

bool is_valid(const Header& header) {
  using namespace std::string_view_literals;
  return !header.name.empty() &&
         std::all_of(header.name.begin(), header.name.end(), is_token_character) &&
         header.value.find_first_of("\r\n\0"sv) == std::string::npos;
}

}  // namespace pi_mcp::http
