#include "catalog/cache_outline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "json/document.h"

namespace pi_mcp::catalog {
namespace {

// Bytes that matter when a container is skipped.
constexpr std::array<bool, 256> make_structural() {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> structural = make_structural();

// Members of an entry that are words about its server, or have some in them.
constexpr std::array<std::string_view, 3> word_keys = {
    R"("instructions")", R"("title")", R"("byCapabilities")"};

class Skimmer {
 public:
  explicit Skimmer(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  // Moves past white space and, when it comes next, past `c`.
  bool take(char c) {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    if (position_ == text_.size() || text_[position_] != c) {
      return false;
    }
    ++position_;
    return true;
  }

  // Whether a word key was directly in the container that was taken last.
  [[nodiscard]] bool has_seen_words() const { return has_seen_words_; }
  // The text of the `configHash` directly in it, without quotes; empty: there is none.
  [[nodiscard]] std::string_view hash() const { return hash_; }

  // The raw value that comes next, quotes included; empty when it does not end or there is none.
  std::string_view take_value() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    const std::size_t start = position_;
    const bool whole = skip_value();
    return whole ? text_.substr(start, position_ - start) : std::string_view();
  }

 private:
  bool skip_value() {
    if (position_ == text_.size()) {
      return false;
    }
    switch (text_[position_]) {
      case '"':
        return skip_string();
      case '{':
      case '[':
        return skip_container();
      default:
        position_ = std::min(text_.find_first_of(" \t\r\n,]}", position_), text_.size());
        return true;
    }
  }

  bool skip_string() {
    const std::size_t start = position_ + 1;
    for (std::size_t quote = start;; ++quote) {
      quote = text_.find('"', quote);
      if (quote == std::string_view::npos) {
        position_ = text_.size();
        return false;
      }
      std::size_t backslashes = 0;
      while (quote - backslashes > start && text_[quote - backslashes - 1] == '\\') {
        ++backslashes;
      }
      if (backslashes % 2 == 0) {
        position_ = quote + 1;
        return true;
      }
    }
  }

  // Kinds of brackets are not told apart: whoever uses the value parses it.
  bool skip_container() {
    std::size_t depth = 0;
    has_seen_words_ = false;
    hash_ = {};
    while (position_ < text_.size()) {
      const char c = text_[position_];
      if (!structural[static_cast<unsigned char>(c)]) {
        ++position_;
        continue;
      }
      if (c == '"') {
        const std::size_t start = position_;
        if (!skip_string()) {
          return false;
        }
        if (depth == 1) {
          note_string(text_.substr(start, position_ - start));
        }
        continue;
      }
      ++position_;
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
      if (depth == 0) {
        return true;
      }
    }
    return false;
  }

  // A key, or a value that looks like one.
  void note_string(std::string_view raw) {
    has_seen_words_ = has_seen_words_ || std::ranges::count(word_keys, raw) > 0;
    if (raw == R"("configHash")") {
      Skimmer value(text_.substr(position_));
      const std::string_view hash = value.take(':') ? value.take_value() : std::string_view();
      hash_ = hash.starts_with('"') ? hash.substr(1, hash.size() - 2) : hash_;
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
  bool has_seen_words_ = false;
  std::string_view hash_;
};

std::optional<std::string> decoded_key(std::string_view raw) {
  const Result<json::Document> document = json::Document::parse_view(raw);
  return document ? document->root().as_string() : std::nullopt;
}

// Calls `each(key, skimmer)` before every value of an object; it must take the value. False: the
// text stops being an object.
template <class Each>
bool each_member(Skimmer& skimmer, Each each) {
  if (!skimmer.take('{')) {
    return false;
  }
  if (skimmer.take('}')) {
    return true;
  }
  do {
    const std::optional<std::string> key = decoded_key(skimmer.take_value());
    if (!key || !skimmer.take(':') || !each(*key, skimmer)) {
      return false;
    }
  } while (skimmer.take(','));
  return skimmer.take('}');
}

}  // namespace

CacheOutline outline_of(std::string_view text) {
  CacheOutline outline;
  const auto take_entry = [&outline](const std::string& server, Skimmer& skimmer) {
    const std::string_view value = skimmer.take_value();
    if (!value.empty()) {
      outline.slots.push_back({.server = server,
                               .offset = skimmer.position() - value.size(),
                               .length = value.size(),
                               .has_words = skimmer.has_seen_words(),
                               .hash = skimmer.hash()});
    }
    return !value.empty();
  };
  const auto take_member = [&](const std::string& key, Skimmer& skimmer) {
    if (key == "servers") {
      outline.slots.clear();
      return each_member(skimmer, take_entry);
    }
    const std::string_view value = skimmer.take_value();
    if (key == "version") {
      outline.version = value;
    }
    return !value.empty();
  };
  Skimmer skimmer(text);
  each_member(skimmer, take_member);
  return outline;
}

}  // namespace pi_mcp::catalog
