#include "search/ranker.h"

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "search/explain.h"
#include "search/query.h"
#include "search/query_terms.h"
#include "search/suggest.h"

namespace pi_mcp::search {
namespace {

// A vocabulary this many times larger than what is in use is made anew.
constexpr std::size_t stale_terms_factor = 4;
constexpr std::size_t stale_terms_min = 50'000;

// For a name whose words no document has.
constexpr float named_score_min = 1;

bool names_in_order(const Document& a, const Document& b) {
  const int compared = text::lower(a.name).compare(text::lower(b.name));
  return compared != 0 ? compared < 0 : a.name < b.name;
}

}  // namespace

Ranker::Ranker(std::vector<Document> documents, const Tuning& tuning) : Ranker(tuning) {
  std::vector<std::vector<Document>> groups;
  std::map<std::string_view, std::size_t> numbers;
  for (Document& document : documents) {
    const auto [number, is_new] = numbers.try_emplace(document.group, groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[number->second].push_back(std::move(document));
  }
  std::vector<GroupSource> sources;
  sources.reserve(groups.size());
  for (std::vector<Document>& group : groups) {
    sources.push_back({.name = std::string(group.front().group),
                       .documents = group.size(),
                       .read = [&group](std::size_t number) { return group[number]; },
                       .about = {}});
  }
  assign(std::move(sources));
}

std::unique_ptr<Ranker::Group> Ranker::take_or_read(GroupSource& source) {
  for (std::unique_ptr<Group>& group : groups_) {
    if (group && group->name == source.name && group->revision == source.revision) {
      return std::move(group);
    }
  }
  auto group = std::make_unique<Group>();
  group->name = std::move(source.name);
  group->revision = source.revision;
  group->documents.reserve(source.documents);
  group->names.reserve(source.documents);
  GroupReader reader(group->name, source.documents, vocabulary_);
  for (std::size_t number = 0; number < source.documents; ++number) {
    Document& document = group->documents.emplace_back(source.read(number));
    reader.add(document);
    group->names.push_back(NameSums::of(document));
    document.parameters = document.parameter_texts = document.parameter_values = {};
  }
  group->text = reader.finish(source.about);
  return group;
}

void Ranker::assign(std::vector<GroupSource> sources) {
  // Terms of groups that went stay in the vocabulary; servers that come and go for ever must not
  // make it grow for ever.
  if (vocabulary_.terms() > std::max(stale_terms_min, stale_terms_factor * index_.used_terms())) {
    vocabulary_ = Vocabulary();
    groups_.clear();
  }
  std::vector<std::unique_ptr<Group>> groups;
  std::vector<const GroupText*> texts;
  documents_.clear();
  names_ = NameSums();
  for (GroupSource& source : sources) {
    groups.push_back(take_or_read(source));
    texts.push_back(&groups.back()->text);
    names_.add_group(groups.back()->name, groups.back()->names);
    for (const Document& document : groups.back()->documents) {
      documents_.push_back(&document);
    }
  }
  groups_ = std::move(groups);
  index_ = TermIndex(std::move(texts), vocabulary_, tuning_);
}

const Document& Ranker::document(std::size_t number) const {
  return *documents_[number];
}

std::size_t Ranker::group_number(std::string_view name) const {
  const auto found = std::find_if(
      groups_.begin(), groups_.end(), [name](const auto& group) { return group->name == name; });
  return static_cast<std::size_t>(found - groups_.begin());
}

QueryTerms Ranker::plan(std::string_view query) const {
  const auto is_known = [this](std::string_view word) {
    const std::optional<TermId> term = vocabulary_.find(word);
    return term && index_.has(*term);
  };
  return query_terms(read_query(query, is_known), vocabulary_, index_, tuning_);
}

Ranking Ranker::rank(std::string_view query, std::string_view group) const {
  Ranking ranking;
  const std::size_t number = group.empty() ? 0 : group_number(group);
  if (number == groups_.size()) {
    return ranking;
  }
  const std::optional<std::uint32_t> only =
      group.empty() ? std::nullopt : std::optional(static_cast<std::uint32_t>(number));
  const QueryTerms terms = plan(query);
  const Scorer scorer(index_, tuning_, terms.known);
  std::vector<Hit> best = scorer.best(hits_max + 1, only, [this](std::uint32_t a, std::uint32_t b) {
    return names_in_order(*documents_[a], *documents_[b]);
  });
  put_named_first(best, query, only);
  if (best.empty()) {
    return ranking;
  }
  const auto is_close = [most = best.front().score](std::size_t place, float score) {
    return place < close_min || score >= most * static_cast<float>(close_share);
  };
  ranking.more_close = best.size() > hits_max && is_close(hits_max, best[hits_max].score);
  best.resize(std::min(best.size(), hits_max));
  for (std::size_t place = 0; place < best.size(); ++place) {
    ranking.close += is_close(place, best[place].score) ? 1 : 0;
  }
  const Hit& first = best.front();
  ranking.confidence = first.named ? 1 : double{scorer.confidence(first.document, terms.unknown)};
  ranking.hits = std::move(best);
  return ranking;
}

// A name spelled out is what was asked for, whatever words it has: it scores what the best hit
// does.
void Ranker::put_named_first(std::vector<Hit>& hits,
                             std::string_view query,
                             std::optional<std::uint32_t> group) const {
  struct Named {
    Spelling spelling;
    std::ptrdiff_t place;  // among the hits, or behind them
    std::uint32_t document;
    auto operator<=>(const Named&) const = default;
  };
  const SpelledName name(query);
  if (!name.may_be_name()) {
    return;
  }
  std::vector<Named> named;
  for (const std::uint32_t document : names_.with(name.sum())) {
    const Spelling spelling = name.spelling(*documents_[document]);
    if (spelling != Spelling::none && (!group || index_.group_of(document) == *group)) {
      const auto hit = std::ranges::find(hits, document, &Hit::document);
      named.push_back({.spelling = spelling, .place = hit - hits.begin(), .document = document});
    }
  }
  const float most = hits.empty() ? named_score_min : hits.front().score;
  std::erase_if(hits, [&named](const Hit& hit) {
    return std::ranges::count(named, hit.document, &Named::document) > 0;
  });
  std::ranges::sort(named);
  std::vector<Hit> front;
  front.reserve(named.size());
  for (const Named& one : named) {
    front.push_back({.document = one.document, .score = most, .named = true});
  }
  hits.insert(hits.begin(), front.begin(), front.end());
}

std::vector<std::string> Ranker::explain(std::string_view query,
                                         std::size_t document,
                                         std::string_view group) const {
  const QueryTerms terms = plan(query);
  const Scorer scorer(index_, tuning_, terms.known);
  Breakdown breakdown = scorer.explain(static_cast<std::uint32_t>(document));
  const std::vector<Hit> hits = rank(query, group).hits;
  const auto hit = std::ranges::find(hits, document, &Hit::document);
  if (hit != hits.end() && hit->named) {
    breakdown.named_score = hit->score;
  } else if (hit != hits.end()) {
    const auto before = [hit](const Hit& other) {
      return other.score < hit->score;
    };
    const auto behind = [hit](const Hit& other) {
      return other.score > hit->score;
    };
    breakdown.moved =
        std::any_of(hits.begin(), hit, before) || std::any_of(hit, hits.end(), behind);
  }
  return explanation(breakdown, terms.known, vocabulary_, index_, document);
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
  const auto found_in = [&regex](std::string_view text) {
    return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), regex);
  };
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    const Document& document = *documents_[i];
    if (!group.empty() && document.group != group) {
      continue;
    }
    if (found_in(document.name) || found_in(document.description) ||
        std::any_of(document.keywords.begin(), document.keywords.end(), found_in)) {
      hits.push_back({.document = static_cast<std::uint32_t>(i)});
    }
  }
  return hits;
}

bool Ranker::says(std::size_t document, Field field, const std::vector<QueryTerm>& asked) const {
  const std::span<const TermId> said = index_.field(document, field);
  return std::ranges::any_of(asked, [said](const QueryTerm& word) {
    return std::ranges::any_of(word.variants, [said](const Variant& variant) {
      return std::ranges::find(said, variant.term) != said.end();
    });
  });
}

std::vector<std::string> Ranker::suggest(std::string_view wrong_name,
                                         std::size_t count,
                                         std::string_view group) const {
  const auto by_words = [&](std::string_view words) {
    const QueryTerms terms = plan(words);
    const Scorer scorer(index_, tuning_, terms.known);
    std::vector<FoundByWords> found;
    for (const Hit& hit : rank(words, group).hits) {
      const bool named = says(hit.document, Field::name, terms.known) ||
                         says(hit.document, Field::description, terms.known);
      if (named || says(hit.document, Field::group, terms.known)) {
        found.push_back({.document = hit.document, .whole = named && scorer.has_all(hit.document)});
      }
    }
    return found;
  };
  return suggest_names(documents_, wrong_name, {.group = group, .count = count}, by_words);
}

}  // namespace pi_mcp::search
