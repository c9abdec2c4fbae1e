// application/x-www-form-urlencoded (WHATWG URL section 5): bodies of token requests, queries of
// callbacks. Pure.
#pragma once

#include <string>
#include <string_view>

namespace pi_mcp::http {

// Letters, digits and -._* stay, a space becomes +, the rest %XX.
std::string form_encoded(std::string_view text);

// The value of the first `name`, decoded; "" when there is none.
std::string form_value(std::string_view form, std::string_view name);

// Pairs are added in order; an empty value adds nothing.
class Form {
 public:
  Form& add(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The URL with the form's pairs behind those that its query has already; a fragment is dropped.
std::string with_query(std::string_view url, const Form& form);

}  // namespace pi_mcp::http
