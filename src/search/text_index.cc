#include "search/text_index.h"

#include <string.h>  // memmem

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/text.h"
#include "search/words.h"

namespace pi_mcp::search {
namespace {

// One occurrence of a word in a field.
struct Posting {
  TextIndex::Word word;
  TextIndex::Place place;
};

std::uint32_t narrow(std::size_t value) {
  return static_cast<std::uint32_t>(value);
}

// Collects words in the order in which they are met.
class WordCollector {
 public:
  void add(std::string_view word, TextIndex::Place place) {
    const auto [found, is_new] = ids_.try_emplace(word, narrow(words_.size()));
    if (is_new) {
      words_.push_back(word);
      last_places_.push_back(place);
    } else if (last_places_[found->second] == place) {
      return;
    }
    last_places_[found->second] = place;
    postings_.push_back({.word = found->second, .place = place});
  }

  [[nodiscard]] const std::vector<std::string_view>& words() const { return words_; }
  [[nodiscard]] const std::vector<Posting>& postings() const { return postings_; }

 private:
  std::unordered_map<std::string_view, TextIndex::Word> ids_;
  std::vector<std::string_view> words_;
  std::vector<TextIndex::Place> last_places_;  // by word
  std::vector<Posting> postings_;
};

}  // namespace

TextIndex::TextIndex(const std::vector<Document>& documents) {
  add_fields(documents);
  add_words();
  rank_names(documents);
}

std::string_view TextIndex::text(Place place) const {
  const std::size_t start = text_starts_[place];
  return std::string_view(text_).substr(start, text_starts_[place + 1] - start);
}

std::string_view TextIndex::word(Word word) const {
  // The next word's zero byte stands between.
  const std::size_t start = word_starts_[word];
  return std::string_view(word_text_).substr(start, word_starts_[word + 1] - 1 - start);
}

std::span<const TextIndex::Place> TextIndex::places(Word word) const {
  return {places_.data() + place_starts_[word], places_.data() + place_starts_[word + 1]};
}

std::optional<TextIndex::Word> TextIndex::find(std::string_view text) const {
  std::size_t low = 0;
  std::size_t high = words();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (word(narrow(middle)) < text) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < words() && word(narrow(low)) == text;
  return found ? std::optional(narrow(low)) : std::nullopt;
}

std::vector<TextIndex::Word> TextIndex::words_with(std::string_view part) const {
  std::vector<Word> found;
  std::size_t from = 0;
  while (from < word_text_.size()) {
    const void* hit =
        ::memmem(word_text_.data() + from, word_text_.size() - from, part.data(), part.size());
    if (hit == nullptr) {
      break;
    }
    const auto position =
        static_cast<std::uint32_t>(static_cast<const char*>(hit) - word_text_.data());
    const auto behind = std::upper_bound(word_starts_.begin(), word_starts_.end(), position);
    found.push_back(narrow(static_cast<std::size_t>(behind - word_starts_.begin()) - 1));
    from = *behind;
  }
  return found;
}

void TextIndex::add_fields(const std::vector<Document>& documents) {
  text_starts_.reserve(documents.size() * field_count + 1);
  text_starts_.push_back(0);
  for (const Document& document : documents) {
    for (const std::string* field :
         {&document.name, &document.original, &document.group, &document.description}) {
      add_field(*field);
    }
    add_field(text::join(document.keywords, std::string_view(&keyword_separator, 1)));
  }
}

void TextIndex::add_field(std::string_view raw) {
  const std::string normalised = normalise(raw.substr(0, field_bytes_max));
  if (text_.size() + normalised.size() <= index_bytes_max) {
    text_ += normalised;
  }
  text_starts_.push_back(narrow(text_.size()));
}

void TextIndex::add_words() {
  WordCollector collector;
  std::vector<std::string_view> tokens;
  for (Place place = 0; place + 1 < text_starts_.size(); ++place) {
    tokens.clear();
    append_tokens(text(place), tokens);
    for (const std::string_view token : tokens) {
      collector.add(token, place);
    }
  }
  const std::vector<std::string_view>& words = collector.words();
  std::vector<Word> order(words.size());
  std::iota(order.begin(), order.end(), Word{0});
  std::sort(order.begin(), order.end(), [&words](Word a, Word b) { return words[a] < words[b]; });

  std::vector<Word> sorted(words.size());  // from the order of meeting to the sorted one
  word_starts_.reserve(words.size() + 1);
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[order[i]] = narrow(i);
    word_text_ += '\0';
    word_starts_.push_back(narrow(word_text_.size()));
    word_text_ += words[order[i]];
  }
  word_text_ += '\0';
  word_starts_.push_back(narrow(word_text_.size()));

  // Counting sort: postings were met in the order of places, and stay so within a word.
  place_starts_.assign(words.size() + 1, 0);
  for (const Posting& posting : collector.postings()) {
    ++place_starts_[sorted[posting.word] + 1];
  }
  std::partial_sum(place_starts_.begin(), place_starts_.end(), place_starts_.begin());
  std::vector<std::uint32_t> next(place_starts_.begin(), place_starts_.end());
  places_.resize(collector.postings().size());
  for (const Posting& posting : collector.postings()) {
    places_[next[sorted[posting.word]]++] = posting.place;
  }
}

void TextIndex::rank_names(const std::vector<Document>& documents) {
  // Case first matters only between names that differ in nothing else.
  std::vector<std::string> keys;
  keys.reserve(documents.size());
  for (const Document& document : documents) {
    keys.push_back(text::lower(document.name) + '\0' + document.name);
  }
  std::vector<std::uint32_t> order(documents.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&keys](std::uint32_t a, std::uint32_t b) {
    const int compared = keys[a].compare(keys[b]);
    return compared != 0 ? compared < 0 : a < b;
  });
  name_ranks_.resize(documents.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    name_ranks_[order[i]] = narrow(i);
  }
}

}  // namespace pi_mcp::search
