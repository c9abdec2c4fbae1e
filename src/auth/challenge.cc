#include "auth/challenge.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::auth {
namespace {

// RFC 9110 section 5.6.2.
bool is_token_byte(char c) {
  return ascii::is_alphanumeric_or(c, "!#$%&'*+-.^_`|~");
}

// RFC 9110 section 11.2, without the padding.
bool is_token68_byte(char c) {
  return ascii::is_alphanumeric_or(c, "-._~+/");
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<Challenge> read() {
    while (skip_separators() && challenges_.size() < challenges_max) {
      if (!read_element()) {
        skip_element();
      }
    }
    return std::move(challenges_);
  }

 private:
  [[nodiscard]] bool at_end() const { return position_ == text_.size(); }
  [[nodiscard]] bool at(char c) const { return !at_end() && text_[position_] == c; }

  void skip_spaces() {
    while (at(' ') || at('\t')) {
      ++position_;
    }
  }

  // Empty list elements are allowed (RFC 9110 section 5.6.1.2). False at the end.
  bool skip_separators() {
    while (at(' ') || at('\t') || at(',')) {
      ++position_;
    }
    return !at_end();
  }

  // To the next comma outside of quotes.
  void skip_element() {
    while (!at_end() && !at(',')) {
      if (at('"')) {
        (void)read_quoted();  // only to get past it
      } else {
        ++position_;
      }
    }
  }

  template <class Accepts>
  std::string_view read_while(Accepts accepts) {
    const std::size_t begin = position_;
    while (!at_end() && accepts(text_[position_])) {
      ++position_;
    }
    return text_.substr(begin, position_ - begin);
  }

  // A string without its closing quote ends with the header.
  std::string read_quoted() {
    std::string value;
    ++position_;
    while (!at_end() && !at('"')) {
      position_ += at('\\') && position_ + 1 < text_.size() ? 1 : 0;
      value += text_[position_];
      ++position_;
    }
    position_ += at_end() ? 0 : 1;
    return value;
  }

  // A scheme with what follows it, or a parameter of the scheme before.
  bool read_element() {
    const std::string_view word = read_while(is_token_byte);
    if (word.empty()) {
      return false;
    }
    const std::size_t behind_word = position_;
    skip_spaces();
    if (at('=')) {
      return !challenges_.empty() && read_value(word);
    }
    challenges_.push_back({.scheme = text::lower(word), .token68 = "", .parameters = {}});
    return at_end() || at(',') || (position_ > behind_word && read_first_argument());
  }

  // Behind a scheme: a token68, or the first parameter.
  bool read_first_argument() {
    const std::size_t begin = position_;
    std::string token68(read_while(is_token68_byte));
    token68 += read_while([](char c) { return c == '='; });
    skip_spaces();
    if (!token68.empty() && (at_end() || at(','))) {
      challenges_.back().token68 = std::move(token68);
      return true;
    }
    position_ = begin;
    const std::string_view name = read_while(is_token_byte);
    skip_spaces();
    return !name.empty() && at('=') && read_value(name);
  }

  // From the equals sign on.
  bool read_value(std::string_view name) {
    ++position_;
    skip_spaces();
    const std::string value = at('"') ? read_quoted() : std::string(read_while(is_token_byte));
    challenges_.back().parameters.try_emplace(text::lower(name), value);
    skip_spaces();
    return at_end() || at(',');
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::vector<Challenge> challenges_;
};

std::optional<std::string> parameter(const Challenge& challenge, const std::string& name) {
  const auto found = challenge.parameters.find(name);
  return found == challenge.parameters.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<Challenge> parse_challenges(std::string_view header) {
  return Reader(header).read();
}

std::optional<Demand> demand_of(std::span<const std::string> headers) {
  std::vector<Challenge> all;
  for (const std::string& header : headers) {
    for (Challenge& challenge : parse_challenges(header)) {
      all.push_back(std::move(challenge));
    }
  }
  for (const std::string_view scheme : {"bearer", "dpop"}) {
    const auto found = std::find_if(all.begin(), all.end(), [scheme](const Challenge& challenge) {
      return challenge.scheme == scheme;
    });
    if (found != all.end()) {
      return Demand{.resource_metadata = parameter(*found, "resource_metadata"),
                    .scope = parameter(*found, "scope"),
                    .error = parameter(*found, "error").value_or("")};
    }
  }
  return std::nullopt;
}

}  // namespace pi_mcp::auth
