#include "search/scorer.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace pi_mcp::search {
namespace {

// Which rows of a matrix the documents of a list of postings have.
class Rows {
 public:
  explicit Rows(std::size_t documents) : rows_(documents, 0) {}
  void add(std::uint32_t document) {
    in_order_.push_back(document);
    rows_[document] = static_cast<std::uint16_t>(in_order_.size());
  }
  void sort() { std::sort(in_order_.begin(), in_order_.end()); }

  // Goes through the shorter of the two lists.
  template <class Use>
  void for_each_in(std::span<const TermIndex::Posting> postings, const Use& use) const {
    constexpr std::size_t steps_of_a_search = 8;
    if (postings.size() < steps_of_a_search * in_order_.size()) {
      for (const TermIndex::Posting& posting : postings) {
        if (rows_[posting.document] != 0) {
          use(rows_[posting.document] - 1U, posting);
        }
      }
      return;
    }
    auto place = postings.begin();
    for (const std::uint32_t document : in_order_) {
      place = std::ranges::lower_bound(
          place, postings.end(), document, {}, &TermIndex::Posting::document);
      if (place == postings.end()) {
        return;
      }
      if (place->document == document) {
        use(rows_[document] - 1U, *place);
      }
    }
  }

 private:
  std::vector<std::uint16_t> rows_;  // by document, from 1; 0: none
  std::vector<std::uint32_t> in_order_;
};

// How much of the confidence is the share of the name that the query explains, beside the share of
// the query; chosen like the numbers of search/tuning.h.
constexpr float confidence_of_name = 0.3F;

float sum_of(std::span<const Contribution> row) {
  return std::accumulate(row.begin(), row.end(), 0.0F, [](float sum, const Contribution& cell) {
    return sum + cell.points;
  });
}

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
      groups_(index.groups(), 0),
      weights_(index.terms(), 0) {
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
    weights_[term] = weight;
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

float Scorer::close_multiplier(std::uint32_t document) const {
  return multiplier(document) + static_cast<float>(tuning_.parameters_covered) *
                                    explained(index_.field(document, Field::parameters));
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
  // Names decide between equal ones only among those that are looked at closely.
  const auto better = [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : a.document < b.document;
  };
  const std::size_t kept = std::min(hits.size(), std::max(count, candidates_max));
  const auto end = hits.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(hits.begin(), end, hits.end(), better);
  hits.resize(kept);
  look_closely(hits, before);
  hits.resize(std::min(hits.size(), count));
  return hits;
}

void Scorer::look_closely(std::vector<Scored>& hits, const Before& before) const {
  const std::size_t count = std::min(hits.size(), candidates_max);
  if (count == 0) {
    return;
  }
  const Matrix scores = matrix(std::span(hits).first(count));
  const std::span<Scored> close(hits.begin(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t document = close[i].document;
    close[i].score = total(document, sum_of(scores.row(i)), close_multiplier(document));
  }
  std::ranges::sort(close, [&before](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score > b.score : before(a.document, b.document);
  });
  // What was not looked at closely stays behind what was.
  for (std::size_t i = count; i < hits.size(); ++i) {
    hits[i].score = std::min(hits[i].score, hits[count - 1].score);
    hits[i].placed = Placed::behind;
  }
}

Scorer::Matrix Scorer::matrix(std::span<const Scored> documents) const {
  Matrix matrix{.concepts = concepts_.size(),
                .cells = std::vector<Contribution>(documents.size() * concepts_.size())};
  Rows rows(index_.documents());
  for (std::size_t row = 0; row < documents.size(); ++row) {
    rows.add(documents[row].document);
  }
  rows.sort();
  const auto k = static_cast<float>(tuning_.saturation);
  for (std::size_t number = 0; number < concepts_.size(); ++number) {
    for (std::size_t row = 0; row < documents.size(); ++row) {
      matrix.cells[row * concepts_.size() + number].concept_index = number;
    }
    for (const Variant& variant : concepts_[number].variants) {
      const float weight = index_.rarity(variant.term) * variant.weight * concepts_[number].weight;
      rows.for_each_in(index_.postings(variant.term),
                       [&](std::size_t row, const TermIndex::Posting& posting) {
                         Contribution& cell = matrix.cells[row * concepts_.size() + number];
                         const float points = weight * saturated(posting.worth, k);
                         if (points > cell.points) {
                           cell.term = variant.term;
                           cell.relation = variant.relation;
                           cell.points = points;
                         }
                       });
    }
  }
  return matrix;
}

// The share of a field that the query explains, rare words counting more.
float Scorer::explained(std::span<const TermId> terms) const {
  float whole = 0;
  float part = 0;
  for (const TermId term : terms) {
    whole += index_.rarity(term);
    part += index_.rarity(term) * weights_[term];
  }
  return whole > 0 ? part / whole : 0;
}

Breakdown Scorer::explain(std::uint32_t document) const {
  Breakdown breakdown;
  const std::vector<Scored> one = {{.document = document}};
  const Matrix scores = matrix(one);
  for (const Contribution& cell : scores.row(0)) {
    if (cell.points > 0) {
      breakdown.contributions.push_back(cell);
    }
  }
  breakdown.text = sum_of(scores.row(0));
  breakdown.name_share = name_share(document);
  breakdown.covered = asked_ > 0 ? covered_[document] / asked_ : 0;
  breakdown.covering = asked_ > 0 ? covering_[document] / asked_ : 0;
  breakdown.parameters_share = explained(index_.field(document, Field::parameters));
  breakdown.multiplier = close_multiplier(document);
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
  const std::vector<Scored> one = {{.document = document}};
  const Matrix scores = matrix(one);
  for (const Contribution& cell : scores.row(0)) {
    const Concept& meant = concepts_[cell.concept_index];
    const bool has = cell.points > 0;
    if (meant.in_text) {
      const float worth = meant.weight * said_rarity(meant, index_);
      asked += worth;
      explained += has ? worth * likelihood(meant, cell.term) : 0;
    } else {
      explained += has ? meant.weight * meant.rarity(index_) : 0;
    }
  }
  const float share = asked > 0 ? std::min(1.0F, explained / asked) : 1.0F;
  return (1 - confidence_of_name) * share + confidence_of_name * name_share(document);
}

float Scorer::name_share(std::uint32_t document) const {
  const float whole = index_.name_rarity(document);
  return whole > 0 ? std::min(1.0F, names_[document] / whole) : 0;
}

}  // namespace pi_mcp::search
