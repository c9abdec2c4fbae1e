#include "search/scorer.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace pi_mcp::search {
namespace {

// What a score that is as high as the idf of a word that nothing has is worth beside the share of
// the query, and how much of both together is certain; docs/search.md says how they were chosen.
constexpr float confidence_of_score = 0.115F;
constexpr float certain = 1.5F;
// In another language, of which few words are known: what one that is not known counts beside the
// others, and what the score is worth.
constexpr float unknown_in_translation = 0.3F;
constexpr float confidence_of_translated_score = 0.3F;

// A part of the query is a wish of its own with that many words about the tool itself.
constexpr std::size_t part_words_min = 2;
constexpr std::size_t varied_parts_max = 8;
// A hit counts this much however many before it fit the same part.
constexpr float varied_min = 0.7F;
// No more than are always shown.
constexpr std::ptrdiff_t varied_places = 10;

// A server of a few tools may have a word for itself by chance: as if so many others had it too.
constexpr float chance_of_word = 3;

float saturated(float weight, double k1) {
  const auto k = static_cast<float>(k1);
  return weight * (k + 1) / (weight + k);
}

// What a word counts beside others: by the idf of what was said.
float weight_in_query(const QueryTerm& meant, const TermIndex& index) {
  const auto said = std::ranges::find(meant.variants, Relation::same, &Variant::relation);
  const bool known = said != meant.variants.end();
  return meant.weight * (known ? index.idf(said->term) : index.idf_of_unknown());
}

float likelihood(const QueryTerm& meant, const Contribution& part) {
  const auto variant = std::ranges::find(meant.variants, part.term, &Variant::term);
  return part.relation == Relation::translation ? 1 : std::min(1.0F, variant->weight);
}

// It was said, or translated: not a guess.
bool is_known(const QueryTerm& meant) {
  return std::ranges::any_of(meant.variants, [](const Variant& variant) {
    return variant.relation == Relation::same || variant.relation == Relation::translation;
  });
}

bool is_guess(Relation relation) {
  return relation == Relation::typo || relation == Relation::beginning;
}

}  // namespace

Scorer::Scorer(const TermIndex& index, const Tuning& tuning, const std::vector<QueryTerm>& terms)
    : index_(index),
      tuning_(tuning),
      terms_(terms),
      sums_(index.documents()),
      groups_(index.groups(), 0),
      named_(index.groups(), 0) {
  score_parts();
  score_names();
  for (const QueryTerm& asked : terms_) {
    asked_ += weight_in_query(asked, index_);
    score_groups(asked);
  }
  score_named_groups();
}

// A server's name is named by its rarest word ("ecs" of aws-ecs), the less the more other servers'
// tools have that word too. What a tool is to be used on names none (a note "grafana").
void Scorer::score_named_groups() {
  for (const QueryTerm& asked : terms_) {
    for (const Variant& variant : asked.variants) {
      if (asked.in_text && !asked.is_value && variant.relation == Relation::same) {
        score_named_groups(variant.term);
      }
    }
  }
}

void Scorer::score_named_groups(TermId said) {
  for (const TermIndex::GroupPosting& posting : index_.group_postings(said)) {
    const auto [first, end] = index_.documents_of(posting.group);
    const std::span<const TermId> name =
        first < end ? index_.field(first, Field::group) : std::span<const TermId>();
    if (std::ranges::count(name, said) > 0) {
      float rarest = 0;
      for (const TermId term : name) {
        rarest = std::max(rarest, index_.idf(term));
      }
      const float share = static_cast<float>(end - first) /
                          (static_cast<float>(index_.postings(said).size()) + chance_of_word);
      float& named = named_[posting.group];
      named = std::max(named, index_.idf(said) * share / rarest);
    }
  }
}

// One part after the other, so that a document needs to keep the sums of two only.
void Scorer::score_parts() {
  std::vector<Best> best(index_.documents());
  for (std::uint32_t part = 0; part < query_parts_max; ++part) {
    std::size_t words = 0;  // about the tool itself
    for (const QueryTerm& asked : terms_) {
      if ((asked.parts >> part & 1U) != 0) {
        score_term(asked, part, best);
        words += asked.in_text && !asked.is_value ? 1 : 0;
      }
    }
    parts_ += words >= part_words_min ? 1 : 0;
  }
}

// The best one of the variants counts in each document. `best` is all zero before and after.
void Scorer::score_term(const QueryTerm& asked, std::uint32_t part, std::vector<Best>& best) {
  const bool is_first = (asked.parts & ((1U << part) - 1)) == 0;
  const float weight = weight_in_query(asked, index_);
  std::vector<std::uint32_t> touched;
  for (const Variant& variant : asked.variants) {
    const float points = index_.idf(variant.term) * variant.weight * asked.weight;
    const float likely = std::min(1.0F, variant.weight);
    for (const TermIndex::Posting& posting : index_.postings(variant.term)) {
      Best& most = best[posting.document];
      if (most.points == 0) {
        touched.push_back(posting.document);
      }
      most.points = std::max(most.points, points * saturated(posting.weight, tuning_.saturation));
      most.in_name = std::max(most.in_name, posting.in_name != 0 ? likely : 0);
    }
  }
  for (const std::uint32_t document : touched) {
    add_match(document);
    Sums& sums = sums_[document];
    const Best found = std::exchange(best[document], {});
    sums.text += is_first ? found.points : 0;
    sums.query_explained += is_first ? found.in_name * weight : 0;
    if (sums.now.part != part) {
      sums.most = best_part(document);
      sums.now = {.part = part, .points = 0};
    }
    sums.now.points += found.points;
  }
}

// A word of a name counts once, whichever words of the query mean it.
void Scorer::score_names() {
  std::map<TermId, float> meant;
  for (const QueryTerm& asked : terms_) {
    for (const Variant& variant : asked.variants) {
      float& weight = meant[variant.term];
      weight = std::max(weight, std::min(1.0F, variant.weight));
    }
  }
  for (const auto& [term, weight] : meant) {
    const float explained = index_.idf(term) * weight;
    for (const TermIndex::Posting& posting : index_.postings(term)) {
      sums_[posting.document].name_explained += posting.in_name != 0 ? explained : 0;
    }
  }
}

void Scorer::score_groups(const QueryTerm& asked) {
  for (const Variant& variant : asked.variants) {
    const float points = index_.group_idf(variant.term) * variant.weight * asked.weight;
    // What only a group says of itself finds all that it has.
    const bool only_of_groups = index_.postings(variant.term).empty();
    for (const TermIndex::GroupPosting& posting : index_.group_postings(variant.term)) {
      groups_[posting.group] += points * posting.weight;
      const auto [first, end] = index_.documents_of(posting.group);
      for (std::uint32_t document = first; only_of_groups && document < end; ++document) {
        add_match(document);
      }
    }
  }
}

void Scorer::add_match(std::uint32_t document) {
  if (!std::exchange(sums_[document].matches, true)) {
    matching_.push_back(document);
  }
}

Scorer::PartPoints Scorer::best_part(std::uint32_t document) const {
  const Sums& sums = sums_[document];
  return sums.now.points > sums.most.points ? sums.now : sums.most;
}

Breakdown Scorer::score(std::uint32_t document) const {
  const Sums& sums = sums_[document];
  Breakdown score;
  score.text = sums.text;
  score.part = parts_ < 2 ? 0 : static_cast<float>(tuning_.part) * best_part(document).points;
  const float name = index_.name_idf(document);
  score.name_coverage = name > 0 ? std::min(1.0F, sums.name_explained / name) : 0;
  score.query_coverage = asked_ > 0 ? sums.query_explained / asked_ : 0;
  score.named_server = named_[index_.group_of(document)];
  score.multiplier = (1 + static_cast<float>(tuning_.name_coverage) * score.name_coverage +
                      static_cast<float>(tuning_.query_coverage) * score.query_coverage) *
                     (1 + static_cast<float>(tuning_.named_server) * score.named_server);
  score.server = static_cast<float>(tuning_.server) * groups_[index_.group_of(document)];
  score.total = (score.text + score.part) * score.multiplier + score.server;
  return score;
}

std::vector<Hit> Scorer::best(std::size_t count,
                              std::optional<std::uint32_t> group,
                              const Before& before) const {
  std::vector<Hit> hits;
  hits.reserve(matching_.size());
  for (const std::uint32_t document : matching_) {
    if (!group || index_.group_of(document) == *group) {
      hits.push_back({.document = document, .score = score(document).total});
    }
  }
  const auto better = [](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  };
  const std::size_t kept = std::min(hits.size(), count);
  std::nth_element(
      hits.begin(), hits.begin() + static_cast<std::ptrdiff_t>(kept), hits.end(), better);
  hits.resize(kept);
  // Comparing names takes longer, and only what is kept has to be in their order.
  std::ranges::sort(hits, [&before](const Hit& a, const Hit& b) {
    return a.score != b.score ? a.score > b.score : before(a.document, b.document);
  });
  vary(hits);
  return hits;
}

// Who asks for several things wants a tool for each: what fits the same part best as hits before it
// counts less. The first hit stays the first, and all keep their scores. A request of many
// sentences tells a story, and wants one tool.
void Scorer::vary(std::vector<Hit>& hits) const {
  if (parts_ < 2 || parts_ > varied_parts_max) {
    return;
  }
  std::array<float, query_parts_max> left{};
  left.fill(1);
  const auto places = std::min(static_cast<std::ptrdiff_t>(hits.size()), varied_places);
  for (auto place = hits.begin(); place != hits.begin() + places; ++place) {
    auto best = place;
    float most = 0;
    for (auto hit = place; hit != hits.end() && hit->score > most; ++hit) {
      const float score = hit->score * left[best_part(hit->document).part];
      if (score > most) {
        most = score;
        best = hit;
      }
    }
    std::rotate(place, best, best + 1);
    float& counts = left[best_part(place->document).part];
    counts = std::max(varied_min, counts * (1 - static_cast<float>(tuning_.variety)));
  }
}

std::vector<Contribution> Scorer::contributions(std::uint32_t document) const {
  std::vector<Contribution> found;
  for (std::size_t number = 0; number < terms_.size(); ++number) {
    Contribution best{.query_term = number};
    for (const Variant& variant : terms_[number].variants) {
      const std::span<const TermIndex::Posting> postings = index_.postings(variant.term);
      const auto posting = std::ranges::lower_bound(
          postings, document, {}, [](const TermIndex::Posting& one) { return one.document; });
      if (posting == postings.end() || posting->document != document) {
        continue;
      }
      const float points = index_.idf(variant.term) * variant.weight * terms_[number].weight *
                           saturated(posting->weight, tuning_.saturation);
      if (points > best.points) {
        best.term = variant.term;
        best.relation = variant.relation;
        best.points = points;
      }
    }
    if (best.points > 0) {
      found.push_back(best);
    }
  }
  return found;
}

Breakdown Scorer::explain(std::uint32_t document) const {
  Breakdown breakdown = score(document);
  breakdown.contributions = contributions(document);
  return breakdown;
}

bool Scorer::is_about(std::uint32_t document, TermId term) const {
  const auto has = [&](Field field) {
    return std::ranges::count(index_.field(document, field), term) > 0;
  };
  return has(Field::name) || has(Field::group) || has(Field::description);
}

// Ranks nothing: unlike the score it counts what nothing has, a guess as a guess (a single one as
// nothing), and no word that only parameters have. The score itself says more than the share where
// a query is long.
float Scorer::confidence(std::uint32_t document, float unknown) const {
  std::vector<Contribution> parts = contributions(document);
  std::erase_if(parts, [&](const Contribution& part) {
    return !terms_[part.query_term].in_text || !is_about(document, part.term);
  });
  if (parts.size() == 1 && is_guess(parts.front().relation)) {
    return 0;
  }
  const bool translated =
      std::ranges::count(parts, Relation::translation, &Contribution::relation) > 0;
  const float of_unknown = translated ? unknown_in_translation : 1;
  const auto weight = [&](const QueryTerm& meant) {
    return weight_in_query(meant, index_) * (is_known(meant) ? 1 : of_unknown);
  };
  float asked = of_unknown * unknown * index_.idf_of_unknown();
  for (const QueryTerm& meant : terms_) {
    asked += meant.in_text ? weight(meant) : 0;
  }
  float explained = 0;
  for (const Contribution& part : parts) {
    const QueryTerm& meant = terms_[part.query_term];
    explained += weight(meant) * likelihood(meant, part);
  }
  const float share = asked > 0 ? explained / asked : 1;
  const float evidence = score(document).total / index_.idf_of_unknown();
  const float of_score = translated ? confidence_of_translated_score : confidence_of_score;
  return std::min(1.0F, (share + of_score * evidence) / certain);
}

}  // namespace pi_mcp::search
