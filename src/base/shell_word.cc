#include "base/shell_word.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace pi_mcp::text {
namespace {

// POSIX.1-2017, Shell Command Language, 2.2 (Quoting) and 2.3 (Token Recognition), without
// comments: a "#" is as good as any other character.
class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : rest_(line) {}

  Result<std::vector<std::string>> run() && {
    while (!rest_.empty()) {
      const char c = next();
      const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
      if (!is_space && !is_in_word_) {
        words_.emplace_back();
      }
      is_in_word_ = !is_space;
      if (is_space) {
        continue;
      }
      if (const Result<void> taken = take(c); !taken) {
        return fail(taken.error());
      }
    }
    return std::move(words_);
  }

 private:
  char next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Result<void> take(char c) {
    if (c == '\'' || c == '"') {
      return take_quoted(c);
    }
    if (c == '\\' && !rest_.empty()) {
      words_.back() += next();
      return {};
    }
    if (std::string_view("|&;<>()`").find(c) != std::string_view::npos ||
        (c == '$' && rest_.starts_with('('))) {
      return for_shell(c);
    }
    words_.back() += c;
    return {};
  }

  Result<void> take_quoted(char mark) {
    while (!rest_.empty()) {
      const char c = next();
      if (c == mark) {
        return {};
      }
      if (mark == '"' && (c == '`' || (c == '$' && rest_.starts_with('(')))) {
        return for_shell(c);
      }
      const bool escapes = mark == '"' && c == '\\' && rest_.find_first_of("$`\"\\") == 0;
      words_.back() += escapes ? next() : c;
    }
    return fail(ErrorCode::invalid_argument,
                std::string("the command has a ") + mark + " that is not closed");
  }

  static Result<void> for_shell(char c) {
    return fail(ErrorCode::invalid_argument,
                std::string("the command has a ") + c +
                    " that only a shell understands; put it in single quotes, or write "
                    "sh -c 'COMMAND'");
  }

  std::string_view rest_;
  bool is_in_word_ = false;
  std::vector<std::string> words_;
};

}  // namespace

std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char c) {
    return ascii::is_alphanumeric_or(c, "_-./:@%+,=");
  });
  return is_plain ? std::string(word) : "'" + replace_all(word, "'", "'\\''") + "'";
}

Result<std::vector<std::string>> shell_words(std::string_view line) {
  return WordSplitter(line).run();
}

}  // namespace pi_mcp::text
