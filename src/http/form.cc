#include "http/form.h"

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::http {

std::string form_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (ascii::is_alphanumeric_or(c, "-._*")) {
      encoded += c;
    } else if (c == ' ') {
      encoded += '+';
    } else {
      encoded += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return encoded;
}

std::string form_value(std::string_view form, std::string_view name) {
  const auto decoded = [](std::string_view text) {
    return ascii::percent_decoded(text::replace_all(text, "+", " "));
  };
  for (const std::string_view pair : text::split(form, '&')) {
    const std::size_t equals = pair.find('=');
    if (decoded(pair.substr(0, equals)) == name) {
      return equals == std::string_view::npos ? "" : decoded(pair.substr(equals + 1));
    }
  }
  return "";
}

Form& Form::add(std::string_view name, std::string_view value) {
  if (!value.empty()) {
    text_ += text_.empty() ? "" : "&";
    text_ += form_encoded(name) + "=" + form_encoded(value);
  }
  return *this;
}

std::string with_query(std::string_view url, const Form& form) {
  std::string text(url.substr(0, url.find('#')));
  text += text.find('?') == std::string::npos ? '?' : '&';
  return text + form.text();
}

}  // namespace pi_mcp::http
