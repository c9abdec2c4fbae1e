#include "search/common_words.h"

#include <algorithm>
#include <array>

namespace pi_mcp::search {
namespace {

// Sorted.
constexpr auto stop_words = std::to_array<std::string_view>(
    {"a",     "about",  "above",   "after",   "against", "all",    "also",    "am",    "an",
     "and",   "any",    "are",     "as",      "at",      "be",     "because", "been",  "before",
     "being", "below",  "between", "but",     "by",      "can",    "could",   "did",   "do",
     "does",  "doing",  "don",     "done",    "down",    "during", "e",       "each",  "etc",
     "few",   "for",    "from",    "further", "g",       "had",    "has",     "have",  "having",
     "he",    "help",   "her",     "here",    "his",     "how",    "i",       "if",    "in",
     "into",  "is",     "it",      "its",     "just",    "let",    "like",    "may",   "me",
     "might", "mine",   "more",    "most",    "must",    "my",     "need",    "no",    "nor",
     "not",   "now",    "of",      "off",     "on",      "once",   "only",    "or",    "other",
     "our",   "out",    "over",    "own",     "per",     "please", "s",       "same",  "shall",
     "she",   "should", "so",      "some",    "such",    "t",      "than",    "that",  "the",
     "their", "them",   "then",    "there",   "these",   "they",   "this",    "those", "through",
     "to",    "too",    "under",   "up",      "us",      "very",   "via",     "want",  "was",
     "we",    "were",   "what",    "when",    "where",   "which",  "while",   "who",   "whom",
     "whose", "why",    "will",    "with",    "would",   "you",    "your",    "yours"});

}  // namespace

bool is_stop_word(std::string_view word) {
  return std::binary_search(stop_words.begin(), stop_words.end(), word);
}

}  // namespace pi_mcp::search
