#include "search/words.h"

#include <utf8proc.h>

#include "base/text.h"

namespace pi_mcp::search {
namespace {

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_joint(char c) {
  return c == '_' || c == '.' || c == '/' || c == ':' || c == '-';
}

// A code point and where the next one starts.
struct Step {
  char32_t code_point;
  std::size_t next;
};

Step step_at(std::string_view text, std::size_t position) {
  std::size_t next = position;
  const char32_t code_point = text::next_code_point(text, next);
  return {.code_point = code_point, .next = next};
}

// Letters, digits and marks of other scripts than ASCII.
bool is_other_word(char32_t code_point) {
  if (code_point < 0x80) {
    return false;
  }
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

// Positions of the characters of a run of non-ASCII word characters, and of the byte behind it;
// only `position` when there is no such character.
std::vector<std::size_t> other_word_at(std::string_view text, std::size_t position) {
  std::vector<std::size_t> starts = {position};
  while (starts.back() < text.size()) {
    const Step step = step_at(text, starts.back());
    if (!is_other_word(step.code_point)) {
      break;
    }
    starts.push_back(step.next);
  }
  return starts;
}

void add_pairs(std::vector<std::string_view>& tokens,
               std::string_view text,
               const std::vector<std::size_t>& starts) {
  const std::size_t characters = starts.size() - 1;
  if (characters == 1 || characters > paired_run_max) {
    tokens.push_back(text.substr(starts.front(), starts.back() - starts.front()));
    return;
  }
  for (std::size_t i = 0; i + 2 < starts.size(); ++i) {
    tokens.push_back(text.substr(starts[i], starts[i + 2] - starts[i]));
  }
}

}  // namespace

std::string normalise(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (!is_ascii(c)) {
      const Step step = step_at(text, i);
      const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(step.code_point));
      text::append_utf8(out, static_cast<char32_t>(lower));
      i = step.next;
      continue;
    }
    if (is_joint(c)) {
      out += ' ';
      while (i < text.size() && is_joint(text[i])) {
        ++i;
      }
      continue;
    }
    if (is_upper(c)) {
      if (i > 0 && is_lower_or_digit(text[i - 1])) {
        out += ' ';
      }
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += c;
    }
    ++i;
  }
  return out;
}

void append_tokens(std::string_view normalised, std::vector<std::string_view>& tokens) {
  for (std::size_t i = 0; i < normalised.size();) {
    const std::size_t start = i;
    if (is_lower_or_digit(normalised[i])) {
      while (i < normalised.size() && is_lower_or_digit(normalised[i])) {
        ++i;
      }
      tokens.push_back(normalised.substr(start, i - start));
    } else if (is_ascii(normalised[i])) {
      ++i;
    } else {
      const std::vector<std::size_t> starts = other_word_at(normalised, i);
      if (starts.size() > 1) {
        add_pairs(tokens, normalised, starts);
        i = starts.back();
      } else {
        i = step_at(normalised, i).next;
      }
    }
  }
}

std::vector<std::string> tokens(std::string_view text) {
  const std::string normalised = normalise(text);
  std::vector<std::string_view> pieces;
  append_tokens(normalised, pieces);
  return {pieces.begin(), pieces.end()};
}

}  // namespace pi_mcp::search
