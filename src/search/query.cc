#include "search/query.h"

#include <algorithm>
#include <array>
#include <optional>

#include "search/common_words.h"
#include "search/literals.h"

namespace pi_mcp::search {
namespace {

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

bool is_word_byte(char c) {
  return is_upper(c) || is_lower(c) || (c >= '0' && c <= '9') || static_cast<signed char>(c) < 0;
}

class QueryReader {
 public:
  QueryReader(std::string_view text, Identifiers identifiers)
      : text_(text.substr(0, query_bytes_max)),
        identifiers_(identifiers),
        kinds_(text_.size(), WordKind::plain) {}

  Query read() {
    mark_quotes();
    mark_pieces();
    add_words(true);
    if (query_.words.empty()) {
      add_words(false);
    }
    // Nothing but literals and numbers: then they are what is looked for.
    if (std::none_of(query_.words.begin(), query_.words.end(), [](const QueryWord& word) {
          return word.kind == WordKind::plain;
        })) {
      for (QueryWord& word : query_.words) {
        word.kind = WordKind::plain;
      }
    }
    return std::move(query_);
  }

 private:
  void mark(std::size_t begin, std::size_t end, WordKind kind) {
    std::fill(kinds_.begin() + static_cast<std::ptrdiff_t>(begin),
              kinds_.begin() + static_cast<std::ptrdiff_t>(std::min(end, kinds_.size())),
              kind);
  }

  [[nodiscard]] bool word_at(std::size_t position) const {
    return position < text_.size() && is_word_byte(text_[position]);
  }

  // A query that is quoted as a whole is not.
  void mark_quotes() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char quote = text_[i];
      const bool opens = (quote == '"' || quote == '\'' || quote == '`') &&
                         (i == 0 || !word_at(i - 1)) && word_at(i + 1);
      if (!opens) {
        continue;
      }
      std::size_t end = text_.find(quote, i + 1);
      while (end != std::string_view::npos && word_at(end + 1)) {
        end = text_.find(quote, end + 1);
      }
      if (end != std::string_view::npos && (end - i) * 5 < text_.size() * 4) {
        mark(i, end, WordKind::quoted);
        i = end;
      }
    }
  }

  void mark_pieces() {
    const bool sentence = has_lower_case_word();
    for (std::size_t start = 0; start < text_.size();) {
      std::size_t end = std::min(text_.find_first_of(" \t\r\n", start), text_.size());
      mark_piece(start, end, sentence);
      start = end + 1;
    }
  }

  [[nodiscard]] bool has_lower_case_word() const {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (is_lower(text_[i]) && (i == 0 || !word_at(i - 1))) {
        return true;
      }
    }
    return false;
  }

  void mark_piece(std::size_t start, std::size_t end, bool sentence) {
    constexpr std::string_view starts_of_literals = "/$.";
    while (start < end && !word_at(start) &&
           starts_of_literals.find(text_[start]) == std::string_view::npos) {
      ++start;
    }
    while (end > start && !word_at(end - 1)) {
      --end;
    }
    const std::string_view piece = text_.substr(start, end - start);
    if (piece.empty()) {
      return;
    }
    if (const std::optional<Literal> literal = literal_of(piece)) {
      mark(start, end, literal->kind);
      add_literal(literal->words);
      add_literal(words_of_file(piece));
    }
    if (sentence && is_upper(piece.front()) && is_state(end)) {
      constexpr std::size_t state_length = 4;  // ", CA"
      mark(start, end + state_length, WordKind::place);
      add_literal(words_of_place());
    }
  }

  void add_literal(std::span<const std::string_view> words) {
    const bool known = std::any_of(
        query_.literals.begin(),
        query_.literals.end(),
        [words](std::span<const std::string_view> other) { return other.data() == words.data(); });
    if (!words.empty() && !known) {
      query_.literals.push_back(words);
    }
  }

  // ", CA" behind a word.
  [[nodiscard]] bool is_state(std::size_t position) const {
    return position + 3 < text_.size() && text_[position] == ',' && text_[position + 1] == ' ' &&
           is_upper(text_[position + 2]) && is_upper(text_[position + 3]) && !word_at(position + 4);
  }

  void add_words(bool without_stop_words) {
    WordList words;
    for (std::size_t start = 0; start < text_.size();) {
      std::size_t end = start;
      while (end < text_.size() && kinds_[end] == kinds_[start]) {
        ++end;
      }
      read_words(text_.substr(start, end - start), identifiers_, words);
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (query_.words.size() < query_words_max &&
            (!without_stop_words || !is_stop_word(words[i]))) {
          add_word(words[i], kinds_[start]);
        }
      }
      start = end;
    }
  }

  void add_word(std::string_view word, WordKind kind) {
    if (is_number(word)) {
      kind = WordKind::number;
    }
    query_.words.push_back(
        {.word = std::string(word), .kind = kind, .is_value = kind != WordKind::plain});
  }

  std::string_view text_;
  Identifiers identifiers_;
  std::vector<WordKind> kinds_;  // by byte
  Query query_;
};

}  // namespace

Query read_query(std::string_view text, Identifiers identifiers) {
  return QueryReader(text, identifiers).read();
}

}  // namespace pi_mcp::search
