// The prepared form of a set of documents: every field normalised, every distinct word once, and
// for each word the fields that have it. Made once for a set; a query then looks at words and at
// the places of those that match, not at documents. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/document.h"

namespace pi_mcp::search {

enum class Field : std::uint8_t { name, original, group, description, keywords };
constexpr std::size_t field_count = 5;
// What a match in a field is worth; those of the reference adapter.
constexpr std::array<int, field_count> field_weights = {12, 10, 8, 5, 5};

// Of one field, only this much is searched: nobody describes a tool in more, and a hostile server
// must not fill the memory.
constexpr std::size_t field_bytes_max = std::size_t{16} << 10U;
// Of all fields together; positions have 32 bits.
constexpr std::size_t index_bytes_max = std::size_t{1} << 30U;

class TextIndex {
 public:
  using Word = std::uint32_t;
  // A field of a document: document * field_count + field.
  using Place = std::uint32_t;

  explicit TextIndex(const std::vector<Document>& documents);

  static std::size_t document_of(Place place) { return place / field_count; }
  static Field field_of(Place place) { return static_cast<Field>(place % field_count); }
  static Place place_of(std::size_t document, Field field) {
    return static_cast<Place>(document * field_count + static_cast<std::size_t>(field));
  }

  [[nodiscard]] std::size_t documents() const { return name_ranks_.size(); }
  // Normalised. Phrases of the keywords field are separated by keyword_separator.
  [[nodiscard]] std::string_view text(Place place) const;
  // Position of the document when all are sorted by name; equal names in document order.
  [[nodiscard]] std::uint32_t name_rank(std::size_t document) const {
    return name_ranks_[document];
  }

  [[nodiscard]] std::size_t words() const { return word_starts_.size() - 1; }
  [[nodiscard]] std::string_view word(Word word) const;
  // Sorted; each place once, however often the word is in the field.
  [[nodiscard]] std::span<const Place> places(Word word) const;
  [[nodiscard]] std::optional<Word> find(std::string_view text) const;
  // Words that contain `part` (not empty), in order, each once.
  [[nodiscard]] std::vector<Word> words_with(std::string_view part) const;

  static constexpr char keyword_separator = '\0';

 private:
  void add_fields(const std::vector<Document>& documents);
  void add_field(std::string_view raw);
  void add_words();
  void rank_names(const std::vector<Document>& documents);

  std::string text_;                        // all fields, one behind the other
  std::vector<std::uint32_t> text_starts_;  // by place; one more at the end
  std::string word_text_;                   // sorted, each behind a zero byte, which no word has
  std::vector<std::uint32_t> word_starts_;  // by word; one more at the end
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_starts_;  // by word; one more at the end
  std::vector<std::uint32_t> name_ranks_;
};

}  // namespace pi_mcp::search
