#include "search/scorer.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace pi_mcp::search {
namespace {

// How much of the confidence is the share of the name that the query explains, beside the share of
// the query; chosen like the numbers of search/tuning.h.
constexpr float confidence_of_name = 0.3F;

float saturated(float weight, double k1) {
  const auto k = static_cast<float>(k1);
  return weight * (k + 1) / (weight + k);
}

// The idf of the word as it was said.
float said_idf(const QueryTerm& meant, const TermIndex& index) {
  const auto said = std::ranges::find(meant.variants, Relation::same, &Variant::relation);
  return said == meant.variants.end() ? index.idf_of_unknown() : index.idf(said->term);
}

float likelihood(const QueryTerm& meant, TermId term) {
  const auto variant = std::ranges::find(meant.variants, term, &Variant::term);
  return variant == meant.variants.end() ? 0 : std::min(1.0F, variant->weight);
}

}  // namespace

Scorer::Scorer(const TermIndex& index, const Tuning& tuning, const std::vector<QueryTerm>& terms)
    : index_(index),
      tuning_(tuning),
      terms_(terms),
      sums_(index.documents()),
      groups_(index.groups(), 0),
      named_(index.groups(), 0) {
  std::vector<Sums> best(index_.documents());
  for (const QueryTerm& asked : terms_) {
    asked_ += asked.idf(index_) * asked.weight;
    score_term(asked, best);
  }
  score_names();
  for (const QueryTerm& asked : terms_) {
    score_groups(asked);
  }
  score_named_groups();
}

// A server's name is named by its rarest word ("ecs" of aws-ecs), the less the more other servers'
// tools have that word too.
void Scorer::score_named_groups() {
  std::set<TermId> said;
  for (const QueryTerm& asked : terms_) {
    for (const Variant& variant : asked.variants) {
      if (asked.in_text && variant.relation == Relation::same) {
        said.insert(variant.term);
      }
    }
  }
  for (std::uint32_t group = 0; group < named_.size(); ++group) {
    const auto [first, end] = index_.documents_of(group);
    float rarest = 0;
    float named = 0;
    for (const TermId term :
         first < end ? index_.field(first, Field::group) : std::span<const TermId>()) {
      const float idf = index_.idf(term);
      rarest = std::max(rarest, idf);
      if (said.contains(term)) {
        const auto all = static_cast<float>(index_.postings(term).size());
        named = std::max(named, idf * static_cast<float>(end - first) / all);
      }
    }
    named_[group] = rarest > 0 ? named / rarest : 0;
  }
}

// The best one of the variants counts in each document. `best` is all zero before and after.
void Scorer::score_term(const QueryTerm& asked, std::vector<Sums>& best) {
  const float idf = asked.idf(index_) * asked.weight;
  std::vector<std::uint32_t> touched;
  for (const Variant& variant : asked.variants) {
    const float points = index_.idf(variant.term) * variant.weight * asked.weight;
    for (const TermIndex::Posting& posting : index_.postings(variant.term)) {
      Sums& sums = best[posting.document];
      if (sums.text == 0) {
        touched.push_back(posting.document);
      }
      sums.text = std::max(sums.text, points * saturated(posting.weight, tuning_.saturation));
    }
  }
  for (const std::uint32_t document : touched) {
    add_match(document);
    Sums& sums = sums_[document];
    sums.text += best[document].text;
    sums.has += idf;
    best[document] = {};
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

Breakdown Scorer::score(std::uint32_t document) const {
  const Sums& sums = sums_[document];
  const auto share = [](float part, float whole) {
    return whole > 0 ? std::min(1.0F, part / whole) : 0;
  };
  Breakdown score;
  score.text = sums.text;
  score.name_coverage = share(sums.name_explained, index_.name_idf(document));
  score.named_server = named_[index_.group_of(document)];
  score.coordination = share(sums.has, asked_);
  score.multiplier = (1 + static_cast<float>(tuning_.name_coverage) * score.name_coverage) *
                     (1 + static_cast<float>(tuning_.named_server) * score.named_server);
  score.server = static_cast<float>(tuning_.server) * groups_[index_.group_of(document)];
  score.total = score.text * score.multiplier + score.server;
  return score;
}

std::vector<Scored> Scorer::best(std::size_t count,
                                 std::optional<std::uint32_t> group,
                                 const Before& before) const {
  std::vector<Scored> hits;
  hits.reserve(matching_.size());
  for (const std::uint32_t document : matching_) {
    if (!group || index_.group_of(document) == *group) {
      const Breakdown scored = score(document);
      hits.push_back(
          {.document = document, .score = scored.total, .coordination = scored.coordination});
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

// Ranks nothing: unlike the coordination, which does, it counts what nothing has, and a guess as a
// guess.
float Scorer::confidence(std::uint32_t document, float unknown) const {
  float asked = unknown * index_.idf_of_unknown();
  float explained = 0;
  for (const QueryTerm& meant : terms_) {
    asked += meant.in_text ? meant.weight * said_idf(meant, index_) : 0;
  }
  for (const Contribution& part : contributions(document)) {
    const QueryTerm& meant = terms_[part.query_term];
    explained +=
        meant.weight * (meant.in_text ? said_idf(meant, index_) * likelihood(meant, part.term)
                                      : meant.idf(index_));
  }
  const float share = asked > 0 ? std::min(1.0F, explained / asked) : 1.0F;
  return (1 - confidence_of_name) * share + confidence_of_name * score(document).name_coverage;
}

}  // namespace pi_mcp::search
