#include "schema/pattern.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"

namespace pi_mcp::schema {
namespace {

// What one compiled pattern may take, its automata included. Real patterns need a few kilobytes;
// the limit stops nested counted repetitions.
constexpr std::int64_t pattern_memory_max = std::int64_t{1} << 20U;
constexpr std::size_t pattern_bytes_max = 4096;

// ECMA-262 WhiteSpace and LineTerminator, as the inside of a character class.
constexpr std::string_view white_space =
    R"(\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";

// General categories that RE2 knows by their short names only.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> categories = {{
    {"Letter", "L"},
    {"Lowercase_Letter", "Ll"},
    {"Uppercase_Letter", "Lu"},
    {"Mark", "M"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Punctuation", "P"},
    {"punct", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
    {"digit", "Nd"},
}};

class Translator {
 public:
  explicit Translator(std::string_view pattern) : rest_(pattern) {}

  std::string run() {
    while (!rest_.empty()) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        escape();
        continue;
      }
      in_class_ = rest_[0] == '[' || (in_class_ && rest_[0] != ']');
      // "[^]" and "[]" mean any and nothing in ECMA-262; RE2 refuses them, so they are not
      // enforced.
      copy(1);
    }
    return std::move(out_);
  }

 private:
  void copy(std::size_t count) {
    out_ += rest_.substr(0, count);
    rest_.remove_prefix(std::min(count, rest_.size()));
  }

  void escape() {
    switch (rest_[1]) {
      case 'u':
        return code_point();
      case 'p':
      case 'P':
        return category();
      case 's':
        return space();
      case 'S':
        // Inside a class the complement has no short form; RE2's ASCII meaning stays.
        return in_class_ ? copy(2) : replace(2, "[^", "]");
      default:
        return copy(2);
    }
  }

  void replace(std::size_t count, std::string_view before, std::string_view after) {
    out_.append(before).append(white_space).append(after);
    rest_.remove_prefix(count);
  }

  void space() { in_class_ ? replace(2, "", "") : replace(2, "[", "]"); }

  // \uXXXX and \u{X...}.
  void code_point() {
    const bool braces = rest_.substr(2).starts_with('{');
    const std::string_view digits = rest_.substr(braces ? 3 : 2);
    const auto count = static_cast<std::size_t>(
        std::find_if_not(digits.begin(), digits.end(), ascii::is_hex_digit) - digits.begin());
    if (braces ? digits.substr(count).starts_with('}') : count >= 4) {
      const std::string_view value = digits.substr(0, braces ? count : 4);
      out_.append("\\x{").append(value).append("}");
      rest_.remove_prefix(value.size() + (braces ? 4 : 2));
    } else {
      copy(2);
    }
  }

  void category() {
    const std::size_t end = rest_.find('}');
    if (rest_.substr(2).starts_with('{') && end != std::string_view::npos) {
      const std::string_view name = rest_.substr(3, end - 3);
      for (const auto& [long_name, short_name] : categories) {
        if (name == long_name) {
          out_.append(rest_.substr(0, 3)).append(short_name).append("}");
          rest_.remove_prefix(end + 1);
          return;
        }
      }
    }
    copy(2);
  }

  std::string_view rest_;
  std::string out_;
  bool in_class_ = false;
};

}  // namespace

std::string re2_spelling(std::string_view pattern) {
  return Translator(pattern).run();
}

std::unique_ptr<const RE2> compile_pattern(std::string_view pattern) {
  if (pattern.size() > pattern_bytes_max) {
    return nullptr;
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(pattern_memory_max);
  auto compiled = std::make_unique<const RE2>(re2_spelling(pattern), options);
  return compiled->ok() ? std::move(compiled) : nullptr;
}

}  // namespace pi_mcp::schema
