#include "search/words.h"

#include <utf8proc.h>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::search {
namespace {

bool is_ascii(char c) {
  return static_cast<signed char>(c) >= 0;
}

bool is_joint(char c) {
  return std::string_view("_./:-").find(c) != std::string_view::npos;
}

// Letters, marks and numbers of other scripts than ASCII; their categories stand side by side.
bool is_other_word(char32_t code_point) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  return code_point >= 0x80 && category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

// Where each character of the run of non-ASCII word characters at `position` starts, and the byte
// behind the run; only `position` when there is none.
std::vector<std::size_t> other_word_at(std::string_view text, std::size_t position) {
  std::vector<std::size_t> starts = {position};
  std::size_t next = position;
  while (next < text.size() && is_other_word(text::next_code_point(text, next))) {
    starts.push_back(next);
  }
  return starts;
}

void add_pairs(std::vector<std::string>& tokens,
               std::string_view text,
               const std::vector<std::size_t>& starts) {
  const std::size_t characters = starts.size() - 1;
  if (characters == 1 || characters > paired_run_max) {
    tokens.emplace_back(text.substr(starts.front(), starts.back() - starts.front()));
    return;
  }
  for (std::size_t i = 0; i + 2 < starts.size(); ++i) {
    tokens.emplace_back(text.substr(starts[i], starts[i + 2] - starts[i]));
  }
}

}  // namespace

std::string normalise(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t start = i;
    const char c = text[start];
    const char before = start == 0 ? ' ' : text[start - 1];
    const char32_t code_point = text::next_code_point(text, i);
    if (!is_ascii(c)) {
      const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(code_point));
      text::append_utf8(out, static_cast<char32_t>(lower));
    } else if (is_joint(c)) {
      out += is_joint(before) ? "" : " ";
    } else {
      out += ascii::is_upper(c) && ascii::is_lower_or_digit(before) ? " " : "";
      out += text::lower({&c, 1});
    }
  }
  return out;
}

std::vector<std::string> tokens(std::string_view text) {
  const std::string normalised = normalise(text);
  std::vector<std::string> found;
  for (std::size_t i = 0; i < normalised.size();) {
    const std::size_t start = i;
    while (i < normalised.size() && ascii::is_lower_or_digit(normalised[i])) {
      ++i;
    }
    if (i > start) {
      found.push_back(normalised.substr(start, i - start));
      continue;
    }
    const std::vector<std::size_t> starts = other_word_at(normalised, i);
    add_pairs(found, normalised, starts);
    i = starts.back();
    if (i == start) {
      text::next_code_point(normalised, i);
    }
  }
  return found;
}

}  // namespace pi_mcp::search
