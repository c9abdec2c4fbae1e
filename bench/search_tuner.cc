// Coordinate descent and cross-validation over servers.
#include "search_tuner.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace bench {
namespace {

using pi_mcp::search::Field;
using pi_mcp::search::FieldTuning;
using pi_mcp::search::Tuning;

// Steps that gain less are not taken; recall and reciprocal rank together, in hundredths of a
// percent.
constexpr double gain_min = 0.0005;
// By how much a number is tried larger and smaller, in each pass.
constexpr std::array<double, 3> factors = {2, 1.5, 1.25};

template <Field Of>
double& weight_of(Tuning& tuning) {
  return tuning.fields[static_cast<std::size_t>(Of)].weight;
}

template <Field Of>
double& length_of(Tuning& tuning) {
  return tuning.fields[static_cast<std::size_t>(Of)].length;
}

template <double Tuning::* Member>
double& number_of(Tuning& tuning) {
  return tuning.*Member;
}

constexpr std::array all_knobs = {
    Knob{.name = "name", .of = weight_of<Field::name>},
    Knob{.name = "server field", .of = weight_of<Field::group>},
    Knob{.name = "description", .of = weight_of<Field::description>},
    Knob{.name = "parameters", .of = weight_of<Field::parameters>},
    Knob{.name = "parameter texts", .of = weight_of<Field::parameter_texts>},
    Knob{.name = "parameter values", .of = weight_of<Field::parameter_values>},
    Knob{.name = "name length", .of = length_of<Field::name>},
    Knob{.name = "description length", .of = length_of<Field::description>},
    Knob{.name = "parameter length", .of = length_of<Field::parameters>},
    Knob{.name = "parameter text length", .of = length_of<Field::parameter_texts>},
    Knob{.name = "saturation", .of = number_of<&Tuning::saturation>},
    Knob{.name = "name coverage", .of = number_of<&Tuning::name_coverage>},
    Knob{.name = "query coverage", .of = number_of<&Tuning::query_coverage>},
    Knob{.name = "named server", .of = number_of<&Tuning::named_server>},
    Knob{.name = "part", .of = number_of<&Tuning::part>},
    Knob{.name = "variety", .of = number_of<&Tuning::variety>},
    Knob{.name = "server", .of = number_of<&Tuning::server>},
    Knob{.name = "synonym", .of = number_of<&Tuning::synonym>},
    Knob{.name = "translation", .of = number_of<&Tuning::translation>},
    Knob{.name = "typo", .of = number_of<&Tuning::typo>},
    Knob{.name = "beginning", .of = number_of<&Tuning::beginning>},
    Knob{.name = "literal", .of = number_of<&Tuning::literal>},
    Knob{.name = "value", .of = number_of<&Tuning::value>}};

double goal(const Outcome& outcome) {
  return outcome.recall_at_5 + outcome.mrr;
}

Tuning tune(const std::vector<SearchSet>& sets,
            const TuningOptions& options,
            const Counts& learns) {
  const auto counts = [&](std::size_t set, std::size_t query) {
    return query % (sets[set].queries.size() / options.queries_max + 1) == 0 && learns(set, query);
  };
  Tuning best = plain_tuning();
  double reached = goal(mean(outcomes(sets, best, counts), counts));
  for (std::size_t pass = 0; pass < options.passes; ++pass) {
    const double factor = factors[std::min(pass, factors.size() - 1)];
    for (const Knob& knob : all_knobs) {
      for (const double step : {factor, 1 / factor}) {
        Tuning tried = best;
        knob.of(tried) *= step;
        const double now = goal(mean(outcomes(sets, tried, counts), counts));
        if (now < reached + gain_min) {
          continue;
        }
        best = tried;
        reached = now;
        if (options.verbose) {
          std::fprintf(stderr,
                       "%.*s %g: %.4f\n",
                       static_cast<int>(knob.name.size()),
                       knob.name.data(),
                       knob.of(best),
                       reached / 2);
        }
        break;  // the other direction only undoes it
      }
    }
  }
  return best;
}

}  // namespace

std::span<const Knob> knobs() {
  return all_knobs;
}

Tuning plain_tuning() {
  Tuning plain;
  plain.fields.fill(FieldTuning{.weight = 1, .length = 0.5});
  plain.saturation = 1.2;
  for (double Tuning::* member : {&Tuning::name_coverage,
                                  &Tuning::query_coverage,
                                  &Tuning::named_server,
                                  &Tuning::synonym,
                                  &Tuning::translation,
                                  &Tuning::typo,
                                  &Tuning::beginning}) {
    plain.*member = 0.5;
  }
  plain.server = 0.1;
  plain.literal = 1;
  plain.value = 0.5;
  return plain;
}

Tuning textbook_bm25f() {
  Tuning textbook = plain_tuning();
  for (double Tuning::* member : {&Tuning::name_coverage,
                                  &Tuning::query_coverage,
                                  &Tuning::named_server,
                                  &Tuning::server,
                                  &Tuning::synonym,
                                  &Tuning::translation,
                                  &Tuning::typo,
                                  &Tuning::beginning,
                                  &Tuning::literal,
                                  &Tuning::part,
                                  &Tuning::variety}) {
    textbook.*member = 0;
  }
  textbook.value = 1;
  return textbook;
}

Tuning tune_on_all(const std::vector<SearchSet>& sets, const TuningOptions& options) {
  return tune(sets, options, [](std::size_t, std::size_t) { return true; });
}

std::size_t fold_of(const SearchSet& set, std::size_t query, std::size_t folds) {
  const std::vector<std::size_t>& servers = set.right_servers[query];
  return servers.empty() ? 0 : servers.front() % folds;
}

Validation cross_validate(const std::vector<SearchSet>& sets, const TuningOptions& options) {
  const Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  Validation result;
  result.plain = mean(outcomes(sets, plain_tuning(), all), all);
  result.shipped = mean(outcomes(sets, Tuning(), all), all);
  Outcomes held_out;
  for (const SearchSet& set : sets) {
    held_out.emplace_back(set.queries.size());
  }
  for (std::size_t fold = 0; fold < options.folds; ++fold) {
    const auto learns = [&](std::size_t set, std::size_t query) {
      const std::vector<std::size_t>& servers = sets[set].right_servers[query];
      return std::ranges::none_of(
          servers, [&](std::size_t server) { return server % options.folds == fold; });
    };
    const auto reported = [&](std::size_t set, std::size_t query) {
      return fold_of(sets[set], query, options.folds) == fold;
    };
    const Outcomes of_fold = outcomes(sets, tune(sets, options, learns), reported);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      for (std::size_t query = 0; query < held_out[set].size(); ++query) {
        if (reported(set, query)) {
          held_out[set][query] = of_fold[set][query];
        }
      }
    }
  }
  result.held_out = mean(held_out, all);
  result.unspelled = mean(held_out, [&](std::size_t set, std::size_t query) {
    return !sets[set].queries[query].spells_name;
  });
  return result;
}

}  // namespace bench
