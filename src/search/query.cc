#include "search/query.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/ascii.h"
#include "search/literals.h"
#include "search/stop_words.h"

namespace pi_mcp::search {
namespace {

constexpr std::array<std::string_view, 5> particles = {"on", "off", "up", "down", "out"};
constexpr std::array<std::string_view, 3> joints = {" and ", " then ", " or "};
constexpr std::array<std::string_view, 4> wide_marks = {"。", "！", "？", "；"};

bool is_word_byte(char c) {
  return ascii::is_alphanumeric(c) || static_cast<signed char>(c) < 0;
}

class QueryReader {
 public:
  QueryReader(std::string_view text, const IsKnown& is_known)
      : text_(text.substr(0, query_bytes_max)),
        is_known_(is_known),
        is_value_(text_.size(), false),
        part_of_(text_.size(), 0) {}

  Query read() {
    mark_quotes();
    mark_literals();
    mark_parts();
    add_words(true);
    if (std::ranges::all_of(query_.words, &QueryWord::is_particle)) {
      query_.words.clear();
      query_.said = 0;
      add_words(false);
    }
    // Nothing but values: then they are what is looked for.
    if (std::ranges::all_of(query_.words, [](const QueryWord& word) {
          return word.is_value || word.is_particle;
        })) {
      for (QueryWord& word : query_.words) {
        word.is_value = false;
      }
    }
    return std::move(query_);
  }

 private:
  void mark(std::size_t begin, std::size_t end) {
    std::fill(is_value_.begin() + static_cast<std::ptrdiff_t>(begin),
              is_value_.begin() + static_cast<std::ptrdiff_t>(end),
              true);
  }

  [[nodiscard]] bool word_at(std::size_t position) const {
    return position < text_.size() && is_word_byte(text_[position]);
  }

  // A query that is quoted as a whole is not a value.
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
        mark(i, end);
        i = end;
      }
    }
  }

  void mark_literals() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find_first_of(" \t\r\n", start), text_.size());
      mark_literal(start, end);
      start = end + 1;
    }
  }

  void mark_literal(std::size_t start, std::size_t end) {
    constexpr std::string_view starts_of_literals = "/$.";
    while (start < end && !word_at(start) &&
           starts_of_literals.find(text_[start]) == std::string_view::npos) {
      ++start;
    }
    while (end > start && !word_at(end - 1)) {
      --end;
    }
    const std::optional<Literal> literal = literal_of(text_.substr(start, end - start));
    if (!literal) {
      return;
    }
    mark(start, end);
    for (const std::string_view words : *literal) {
      if (std::ranges::find(query_.literals, words) == query_.literals.end()) {
        query_.literals.push_back(words);
      }
    }
  }

  void mark_parts() {
    std::size_t part = 0;
    bool has_word = false;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      part_of_[i] = part;
      has_word = has_word || word_at(i);
      if (has_word && part + 1 < query_parts_max && ends_part(i)) {
        ++part;
        has_word = false;
      }
    }
  }

  // The end of a sentence, or the space before a word that joins two wishes.
  [[nodiscard]] bool ends_part(std::size_t position) const {
    const std::string_view before = text_.substr(0, position + 1);
    const std::string_view rest = text_.substr(position);
    const bool mark = std::string_view(".!?;\n").find(text_[position]) != std::string_view::npos &&
                      !is_value_[position] && !word_at(position + 1);
    const auto starts = [rest](std::string_view joint) {
      return rest.starts_with(joint);
    };
    const auto ends = [before](std::string_view wide) {
      return before.ends_with(wide);
    };
    return mark || std::ranges::any_of(joints, starts) || std::ranges::any_of(wide_marks, ends);
  }

  void add_words(bool without_stop_words) {
    for (std::size_t start = 0; start < text_.size();) {
      std::size_t end = start;
      while (end < text_.size() && is_value_[end] == is_value_[start] &&
             part_of_[end] == part_of_[start]) {
        ++end;
      }
      for (const std::string& word : pieces(text_.substr(start, end - start))) {
        ++query_.said;
        const bool is_left_out = without_stop_words && is_stop_word(word);
        const bool is_particle =
            is_left_out && !is_value_[start] && std::ranges::count(particles, word) > 0;
        if (query_.words.size() < query_words_max && (!is_left_out || is_particle)) {
          query_.words.push_back({.word = word,
                                  .is_value = is_value_[start] || is_number(word),
                                  .is_particle = is_particle,
                                  .part = part_of_[start]});
        }
      }
      start = end;
    }
  }

  // A run of letters that is known as a whole, else the words that it is divided into.
  [[nodiscard]] std::vector<std::string> pieces(std::string_view text) const {
    std::vector<std::string> parts;
    const auto use = [&](std::string_view word) {
      // What joins all words before it since the last one came behind them.
      std::size_t first = parts.size();
      std::size_t letters = 0;
      while (first > 0 && letters < word.size()) {
        letters += parts[--first].size();
      }
      const bool joined = letters == word.size() && parts.size() - first > 1 &&
                          std::accumulate(parts.begin() + static_cast<std::ptrdiff_t>(first),
                                          parts.end(),
                                          std::string()) == word;
      if (!joined) {
        parts.emplace_back(word);
      } else if (is_known_(word)) {
        parts.resize(first);
        parts.emplace_back(word);
      }
    };
    read_words(text, Identifiers::both, [&use](std::span<const WordKey> words) {
      std::ranges::for_each(words, use, &WordKey::text);
    });
    return parts;
  }

  std::string_view text_;
  const IsKnown& is_known_;
  std::vector<bool> is_value_;        // by byte
  std::vector<std::size_t> part_of_;  // the same
  Query query_;
};

}  // namespace

Query read_query(std::string_view text, const IsKnown& is_known) {
  return QueryReader(text, is_known).read();
}

}  // namespace pi_mcp::search
