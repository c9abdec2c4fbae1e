#include "search/explain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace pi_mcp::search {
namespace {

constexpr std::array<std::pair<Field, std::string_view>, field_count> field_names = {
    {{Field::name, "name"},
     {Field::group, "server"},
     {Field::description, "description"},
     {Field::parameters, "parameter"},
     {Field::parameter_texts, "parameter text"},
     {Field::parameter_values, "parameter value"},
     {Field::keywords, "keyword"},
     {Field::written, "keyword by a model"}}};

// By Relation.
constexpr std::array<std::string_view, 5> relation_names = {
    "", "means", "means", "looks like", "begins like"};

constexpr int score_digits = 2;
// It multiplies whatever was rounded.
constexpr int multiplier_digits = 3;
constexpr float printed_min = 0.005F;

std::string number(float value, int digits = score_digits) {
  std::array<char, 64> text{};
  const std::to_chars_result end = std::to_chars(
      text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
  return {text.data(), end.ptr};
}

std::string percent(float share) {
  return std::to_string(std::lround(share * 100)) + " %";
}

std::string fields_with(TermId term, const TermIndex& index, std::size_t document) {
  std::vector<std::string> names;
  for (const auto& [field, name] : field_names) {
    const std::span<const TermId> terms = index.field(document, field);
    if (std::find(terms.begin(), terms.end(), term) != terms.end()) {
      names.emplace_back(name);
    }
  }
  return text::join(names, ", ");
}

}  // namespace

std::vector<std::string> explanation(const Breakdown& breakdown,
                                     const std::vector<QueryTerm>& terms,
                                     const Vocabulary& vocabulary,
                                     const TermIndex& index,
                                     std::size_t document) {
  std::vector<std::string> lines;
  for (const Contribution& part : breakdown.contributions) {
    std::string line = number(part.points) + " " + terms[part.query_term].word;
    if (part.relation != Relation::same) {
      line += " " + std::string(relation_names[static_cast<std::size_t>(part.relation)]) + " " +
              std::string(vocabulary.term(part.term));
    }
    lines.push_back(line + " (" + fields_with(part.term, index, document) + ")");
  }
  if (breakdown.part >= printed_min) {
    lines.push_back("+ " + number(breakdown.part) + " for the part of the query that it fits best");
  }
  lines.push_back("x " + number(breakdown.multiplier, multiplier_digits) + ": the query explains " +
                  percent(breakdown.name_coverage) + " of the name, the name " +
                  percent(breakdown.query_coverage) + " of the query, which names " +
                  percent(breakdown.named_server) + " of its server");
  if (breakdown.server >= printed_min) {
    lines.push_back("+ " + number(breakdown.server) + " for its server");
  }
  lines.push_back("= " + number(breakdown.total));
  if (breakdown.moved) {
    lines.back() += ", placed so that each part of the query has hits";
  }
  if (breakdown.named_score) {
    const float more = *breakdown.named_score - breakdown.total;
    const std::string why = " because the query is its name";
    if (more < printed_min) {
      lines.back() += why;
    } else {
      lines.push_back("+ " + number(more) + why);
      lines.push_back("= " + number(*breakdown.named_score));
    }
  }
  return lines;
}

}  // namespace pi_mcp::search
