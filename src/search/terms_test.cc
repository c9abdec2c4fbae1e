#include "search/terms.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pi_mcp::search {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_of(std::string_view text,
                                  Identifiers identifiers = Identifiers::divided) {
  // Memory of just this size, so that the sanitizer sees a byte read behind it.
  const std::vector<char> bytes(text.begin(), text.end());
  std::vector<std::string> words;
  read_words({bytes.data(), bytes.size()}, identifiers, [&words](std::span<const WordKey> some) {
    for (const WordKey& word : some) {
      words.emplace_back(word.text());
    }
  });
  return words;
}

// What read_words() does with ASCII, one character after the other.
std::vector<std::string> plainly(std::string_view text) {
  std::vector<std::string> words(1);
  const auto at = [text](std::size_t i) {
    return i < text.size() ? text[i] : ' ';
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool upper = c >= 'A' && c <= 'Z';
    const bool lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    const char before = i == 0 ? ' ' : text[i - 1];
    const bool after_lower = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9');
    const bool last_upper = before >= 'A' && before <= 'Z' && at(i + 1) >= 'a' && at(i + 1) <= 'z';
    if ((!upper && !lower) || (upper && (after_lower || last_upper))) {
      words.emplace_back();
    }
    if (upper || lower) {
      words.back() += static_cast<char>(upper ? c - 'A' + 'a' : c);
    }
  }
  std::erase(words, "");
  return words;
}

TEST(ReadWords, cuts_at_everything_that_is_no_letter_or_digit) {
  EXPECT_THAT(words_of("create_issue: Open an ISSUE (v2)!"),
              ElementsAre("create", "issue", "open", "an", "issue", "v2"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" -- "), IsEmpty());
}

TEST(ReadWords, divides_identifiers_where_the_case_changes) {
  EXPECT_THAT(words_of("getUserByID HTTPServer v2Beta a1B"),
              ElementsAre("get", "user", "by", "id", "http", "server", "v2", "beta", "a1", "b"));
}

TEST(ReadWords, folds_case_accents_and_widths_of_other_letters) {
  EXPECT_THAT(words_of("Café naïve ÉCOLE straße ｆｕｌｌ"),
              ElementsAre("cafe", "naive", "ecole", "strasse", "full"));
  EXPECT_THAT(words_of("getÉtat fooBaré éA"), ElementsAre("getetat", "foo", "bare", "ea"));
}

TEST(ReadWords, gives_pairs_of_characters_of_scripts_without_spaces) {
  EXPECT_THAT(words_of("天气预报 get天气now 雨"),
              ElementsAre("天气", "气预", "预报", "get", "天气", "now", "雨"));
}

TEST(ReadWords, invalid_bytes_separate) {
  EXPECT_THAT(words_of("one\xFFtwo\xC3"), ElementsAre("one", "two"));
}

TEST(ReadWords, words_of_any_length_at_any_place_come_out_whole) {
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t size = 1; size < 40; ++size) {
      const std::string word(size, 'x');
      const std::string text = std::string(before, '.') + word;
      EXPECT_THAT(words_of(text), ElementsAre(word));
      EXPECT_THAT(words_of(text + " y"), ElementsAre(word, "y"));
    }
  }
}

TEST(ReadWords, mixed_ascii_comes_out_as_character_by_character) {
  constexpr std::string_view letters = "aZ9_ bY0.";
  unsigned state = 1;  // a linear congruential generator: the same texts each time
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    for (int i = 0; i < round % 50; ++i) {
      state = state * 1'664'525U + 1'013'904'223U;
      text += letters[(state >> 16U) % letters.size()];
    }
    EXPECT_EQ(words_of(text), plainly(text)) << text;
  }
}

}  // namespace
}  // namespace pi_mcp::search
