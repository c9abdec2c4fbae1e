#include "search/ranker.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/text.h"
#include "search/scorer.h"
#include "search/suggest.h"

namespace pi_mcp::search {

Ranking Ranker::rank(std::string_view query, std::string_view group) const {
  return rank_documents(documents_, index_, query, {.group = group});
}

Result<std::vector<Hit>> Ranker::match(std::string_view pattern, std::string_view group) const {
  if (text::utf16_length(pattern) > pattern_length_max) {
    return fail(ErrorCode::invalid_argument,
                "the pattern is longer than " + std::to_string(pattern_length_max) + " characters");
  }
  RE2::Options options;
  options.set_case_sensitive(false);
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory_max);
  const RE2 regex(re2::StringPiece(pattern.data(), pattern.size()), options);
  if (!regex.ok()) {
    return fail(ErrorCode::invalid_argument, regex.error());
  }
  const auto found_in = [&regex](const std::string& text) {
    return RE2::PartialMatch(text, regex);
  };
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const Document& document = documents_[i];
    if (!group.empty() && document.group != group) {
      continue;
    }
    if (found_in(document.name) || found_in(document.description) ||
        std::any_of(document.keywords.begin(), document.keywords.end(), found_in)) {
      hits.push_back({.document = i});
    }
  }
  return hits;
}

std::vector<std::string> Ranker::suggest(std::string_view wrong_name,
                                         std::size_t count,
                                         std::string_view group) const {
  return suggest_names(documents_, index_, wrong_name, {.group = group, .count = count});
}

}  // namespace pi_mcp::search
