#include "search/common_words.h"

#include <algorithm>
#include <array>

namespace pi_mcp::search {
namespace {

// Both sorted.
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

// Months and days are here because a date says more, see search/query.h.
constexpr auto small_talk = std::to_array<std::string_view>(
    {"able",        "accurately", "across",      "actually",     "additionally", "again",
     "along",       "already",    "alright",     "always",       "answer",       "anyone",
     "anything",    "appreciate", "appreciated", "appreciation", "april",        "around",
     "ask",         "asked",      "asking",      "assist",       "assistance",   "assume",
     "august",      "available",  "awesome",     "back",         "based",        "beginning",
     "believe",     "bit",        "case",        "certain",      "check",        "completely",
     "correctly",   "crucial",    "curious",     "currently",    "dear",         "december",
     "decided",     "different",  "earlier",     "end",          "ensure",       "essential",
     "ever",        "everything", "exactly",     "excellent",    "february",     "feel",
     "finally",     "find",       "first",       "following",    "forward",      "friday",
     "furthermore", "get",        "give",        "given",        "glad",         "go",
     "going",       "good",       "great",       "guide",        "happy",        "hello",
     "helpful",     "hey",        "hi",          "hope",         "hoping",       "immediately",
     "importance",  "important",  "inside",      "interest",     "interested",   "january",
     "july",        "june",       "kind",        "kindly",       "know",         "last",
     "lastly",      "later",      "look",        "looking",      "lot",          "love",
     "make",        "many",       "march",       "maybe",        "meanwhile",    "monday",
     "moreover",    "much",       "necessary",   "never",        "new",          "next",
     "nice",        "november",   "october",     "often",        "ok",           "okay",
     "onto",        "outside",    "part",        "particular",   "perfect",      "perhaps",
     "plan",        "planning",   "point",       "possible",     "probably",     "promptly",
     "properly",    "provide",    "provided",    "purpose",      "question",     "quickly",
     "really",      "recently",   "request",     "requested",    "required",     "requirement",
     "saturday",    "seamlessly", "second",      "september",    "several",      "show",
     "side",        "simply",     "someone",     "something",    "sometimes",    "soon",
     "sort",        "specific",   "start",       "still",        "sunday",       "sure",
     "tell",        "thank",      "thanks",      "thing",        "things",       "think",
     "thinking",    "thursday",   "today",       "together",     "tomorrow",     "tonight",
     "toward",      "towards",    "try",         "trying",       "tuesday",      "unable",
     "upon",        "use",        "used",        "user",         "using",        "usually",
     "various",     "way",        "ways",        "wednesday",    "well",         "within",
     "without",     "wonder",     "wonderful",   "wondering",    "yes",          "yesterday",
     "yet"});

static_assert(std::is_sorted(stop_words.begin(), stop_words.end()));
static_assert(std::is_sorted(small_talk.begin(), small_talk.end()));

}  // namespace

bool is_stop_word(std::string_view word) {
  return std::binary_search(stop_words.begin(), stop_words.end(), word);
}

bool is_small_talk(std::string_view word) {
  return std::binary_search(small_talk.begin(), small_talk.end(), word);
}

}  // namespace pi_mcp::search
