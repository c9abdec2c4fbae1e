#include "search/scorer.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pi_mcp::search {
namespace {

// How much of the confidence is the share of the name that the query explains, beside the share of
// the query; chosen like the numbers of search/tuning.h.
constexpr float confidence_of_name = 0.3F;

float saturated(float worth, float k) {
  return worth * (k + 1) / (worth + k);
}

}  // namespace

Scorer::Scorer(const TermIndex& index, const Tuning& tuning, const std::vector<Concept>& concepts)
    : index_(index),
      tuning_(tuning),
      concepts_(concepts),
      texts_(index.documents(), 0),
      names_(index.documents(), 0),
      covered_(index.documents(), 0),
      covering_(index.documents(), 0),
      groups_(index.groups(), 0) {
  for (const Concept& asked : concepts_) {
    asked_ += asked.rarity(index_) * asked.weight;
  }
  score_all();
}

void Scorer::score_all() {
  std::vector<float> best(index_.documents(), 0);
  for (std::size_t i = 0; i < concepts_.size(); ++i) {
    score_concept(i, best);
  }
  score_names();
  score_groups();
}

// Of a concept's variants the best one counts in each document. `best` is all zero before and
// after.
void Scorer::score_concept(std::size_t number, std::vector<float>& best) {
  const Concept& asked = concepts_[number];
  const auto k = static_cast<float>(tuning_.saturation);
  const float share = asked.rarity(index_) * asked.weight;
  std::vector<std::uint32_t> touched;
  for (const Variant& variant : asked.variants) {
    const float points = index_.rarity(variant.term) * variant.weight * asked.weight;
    for (const TermIndex::Posting& posting : index_.postings(variant.term)) {
      float& old = best[posting.document];
      if (old == 0) {
        touched.push_back(posting.document);
      }
      old = std::max(old, points * saturated(posting.worth, k));
    }
  }
  for (const std::uint32_t document : touched) {
    if (texts_[document] == 0) {
      matching_.push_back(document);
    }
    texts_[document] += best[document];
    covered_[document] += share;
    best[document] = 0;
  }
  touched.clear();
  for (const Variant& variant : asked.variants) {
    const float points = index_.rarity(variant.term) * variant.weight * asked.weight;
    for (const TermIndex::NamePosting& posting : index_.named(variant.term)) {
      float& old = best[posting.document];
      if (old == 0) {
        touched.push_back(posting.document);
      }
      old = std::max(old, points);
    }
  }
  for (const std::uint32_t document : touched) {
    covering_[document] += best[document];
    best[document] = 0;
  }
}

void Scorer::score_names() {
  std::map<TermId, float> asked;  // the best weight of each term
  for (const Concept& meant : concepts_) {
    for (const Variant& variant : meant.variants) {
      float& weight = asked[variant.term];
      weight = std::max(weight, std::min(1.0F, variant.weight));
    }
  }
  for (const auto& [term, weight] : asked) {
    for (const TermIndex::NamePosting& posting : index_.named(term)) {
      names_[posting.document] += index_.rarity(term) * weight * posting.share;
    }
  }
}

void Scorer::score_groups() {
  for (const Concept& asked : concepts_) {
    for (const Variant& variant : asked.variants) {
      const float points = index_.group_rarity(variant.term) * variant.weight * asked.weight;
      for (const TermIndex::GroupPosting& posting : index_.group_postings(variant.term)) {
        groups_[posting.group] += points * posting.count;
      }
    }
  }
  add_groups();
}

// What only a group says of itself finds all that it has.
void Scorer::add_groups() {
  std::vector<bool> added(index_.groups(), false);
  for (const Concept& asked : concepts_) {
    for (const Variant& variant : asked.variants) {
      if (!index_.postings(variant.term).empty()) {
        continue;
      }
      for (const TermIndex::GroupPosting& posting : index_.group_postings(variant.term)) {
        if (!added[posting.group]) {
          added[posting.group] = true;
          add_documents_of(posting.group);
        }
      }
    }
  }
}

void Scorer::add_documents_of(std::uint32_t group) {
  const auto [first, end] = index_.documents_of(group);
  for (std::uint32_t document = first; document < end; ++document) {
    if (texts_[document] == 0) {
      matching_.push_back(document);
    }
  }
}

float Scorer::multiplier(std::uint32_t document) const {
  const float whole = index_.name_rarity(document);
  const float name = whole > 0 ? names_[document] / whole : 0;
  const float covered = asked_ > 0 ? covered_[document] / asked_ : 0;
  const float covering = asked_ > 0 ? covering_[document] / asked_ : 0;
  return 1 + static_cast<float>(tuning_.name_covered) * name +
         static_cast<float>(tuning_.name_covering) * covering +
         static_cast<float>(tuning_.covered) * covered;
}

float Scorer::total(std::uint32_t document, float text, float multiplier) const {
  return text * multiplier +
         static_cast<float>(tuning_.server) * groups_[index_.group_of(document)];
}

std::vector<Scored> Scorer::best(std::size_t count,
                                 std::optional<std::uint32_t> group,
                                 const Before& before) const {
  std::vector<Scored> hits;
  hits.reserve(matching_.size());
  for (const std::uint32_t document : matching_) {
    if (!group || index_.group_of(document) == *group) {
      hits.push_back({.document = document,
                      .score = total(document, texts_[document], multiplier(document)),
                      .covered = asked_ > 0 ? covered_[document] / asked_ : 0});
    }
  }
  const auto better = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  };
  const std::size_t kept = std::min(hits.size(), count);
  const auto end = hits.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(hits.begin(), end, hits.end(), better);
  hits.resize(kept);
  // Comparing names takes longer, and only what is kept has to be in their order.
  std::ranges::sort(hits, [&before](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : before(a.document, b.document);
  });
  return hits;
}

std::vector<Contribution> Scorer::contributions(std::uint32_t document) const {
  std::vector<Contribution> found;
  const auto k = static_cast<float>(tuning_.saturation);
  for (std::size_t number = 0; number < concepts_.size(); ++number) {
    Contribution best{.concept_index = number};
    for (const Variant& variant : concepts_[number].variants) {
      const std::span<const TermIndex::Posting> postings = index_.postings(variant.term);
      const auto posting =
          std::ranges::lower_bound(postings, document, {}, &TermIndex::Posting::document);
      if (posting == postings.end() || posting->document != document) {
        continue;
      }
      const float points = index_.rarity(variant.term) * variant.weight * concepts_[number].weight *
                           saturated(posting->worth, k);
      if (points > best.points) {
        best = {.concept_index = number,
                .term = variant.term,
                .relation = variant.relation,
                .points = points};
      }
    }
    if (best.points > 0) {
      found.push_back(best);
    }
  }
  return found;
}

Breakdown Scorer::explain(std::uint32_t document) const {
  Breakdown breakdown;
  breakdown.contributions = contributions(document);
  for (const Contribution& part : breakdown.contributions) {
    breakdown.text += part.points;
  }
  breakdown.name_share = name_share(document);
  breakdown.covered = asked_ > 0 ? covered_[document] / asked_ : 0;
  breakdown.covering = asked_ > 0 ? covering_[document] / asked_ : 0;
  breakdown.multiplier = multiplier(document);
  breakdown.server = static_cast<float>(tuning_.server) * groups_[index_.group_of(document)];
  breakdown.total = total(document, breakdown.text, breakdown.multiplier);
  return breakdown;
}

namespace {

// Of the word as it was said.
float said_rarity(const Concept& meant, const TermIndex& index) {
  const auto said = std::ranges::find(meant.variants, Relation::same, &Variant::relation);
  return said == meant.variants.end() ? index.rarity_of_unknown() : index.rarity(said->term);
}

float likelihood(const Concept& meant, TermId term) {
  const auto variant = std::ranges::find(meant.variants, term, &Variant::term);
  return variant == meant.variants.end() ? 0 : std::min(1.0F, variant->weight);
}

}  // namespace

// Ranks nothing: unlike `covered`, which does, it counts what nothing has, and a guess as a guess.
float Scorer::confidence(std::uint32_t document, float unknown) const {
  float asked = unknown * index_.rarity_of_unknown();
  float explained = 0;
  for (const Concept& meant : concepts_) {
    asked += meant.in_text ? meant.weight * said_rarity(meant, index_) : 0;
  }
  for (const Contribution& part : contributions(document)) {
    const Concept& meant = concepts_[part.concept_index];
    explained += meant.in_text
                     ? meant.weight * said_rarity(meant, index_) * likelihood(meant, part.term)
                     : meant.weight * meant.rarity(index_);
  }
  const float share = asked > 0 ? std::min(1.0F, explained / asked) : 1.0F;
  return (1 - confidence_of_name) * share + confidence_of_name * name_share(document);
}

float Scorer::name_share(std::uint32_t document) const {
  const float whole = index_.name_rarity(document);
  return whole > 0 ? std::min(1.0F, names_[document] / whole) : 0;
}

}  // namespace pi_mcp::search
