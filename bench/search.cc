// Measures the ranking on query sets whose right tools are known (docs/search.md).
//
//   search eval QUERIES --catalog TOOLS  the figures of one set, as --json too (search_eval.h)
//   search FOLDER           what each technique is worth: the table of docs/search.md
//   search FOLDER try "name=3" ...  the scores with other numbers
//   search FOLDER sets      each set beside the textbook's BM25F, servers left out one by one
//   search FOLDER validate  cross-validation over servers
//   search FOLDER weights   what each weight is worth beside the textbook's
//   search FOLDER tune      the weights that all queries together choose
//   search FOLDER answers   what an agent reads, for bench/search_tokens.mjs
//   search FOLDER speed     time and memory of 10,000 and 100,000 tools, copies of the sets' own
//
// FOLDER holds a folder for each set, with queries.jsonl and catalog.jsonl (or one catalog.jsonl
// for all of them); the default is $PI_MCP_SEARCH_SETS. Only bench/retrieval/own is part of this
// repository.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search_answers.h"
#include "search_eval.h"
#include "search_sets.h"
#include "search_speed.h"
#include "search_tuner.h"

namespace {

using pi_mcp::search::Field;
using pi_mcp::search::field_count;
using pi_mcp::search::Tuning;

struct Ablation {
  const char* name;
  void (*switch_off)(Tuning&);
};

void without_field(Tuning& tuning, Field field) {
  // 0 would make postings without worth; this much moves nothing.
  tuning.fields[static_cast<std::size_t>(field)].weight = 1e-6;
}

constexpr Ablation ablations[] = {
    {"everything",
     [](Tuning&) {
     }},
    {"without synonyms",
     [](Tuning& t) {
       t.synonym = 0;
     }},
    {"without translations",
     [](Tuning& t) {
       t.translation = 0;
     }},
    {"without typos and beginnings",
     [](Tuning& t) {
       t.typo = t.beginning = 0;
     }},
    {"without literals",
     [](Tuning& t) {
       t.literal = 0;
     }},
    {"values count in full",
     [](Tuning& t) {
       t.value = 1;
     }},
    {"without parameters",
     [](Tuning& t) {
       for (const Field field :
            {Field::parameters, Field::parameter_texts, Field::parameter_values}) {
         without_field(t, field);
       }
     }},
    {"without the share of the name",
     [](Tuning& t) {
       t.name_coverage = 0;
     }},
    {"without the share of the query that the name has",
     [](Tuning& t) {
       t.query_coverage = 0;
     }},
    {"without what a named server gets",
     [](Tuning& t) {
       t.named_server = 0;
     }},
    {"without the server as a whole",
     [](Tuning& t) {
       t.server = 0;
     }},
    {"without the server at all",
     [](Tuning& t) {
       t.server = 0;
       without_field(t, Field::group);
     }},
    {"fields as long as they are",
     [](Tuning& t) {
       for (std::size_t i = 0; i < field_count; ++i) {
         t.fields[i].length = 0;
       }
     }},
};

void print_row(const char* name, const bench::Outcome& outcome) {
  std::printf("| %s | %.4f | %.4f | %.4f | %.4f |\n",
              name,
              outcome.recall_at_1,
              outcome.recall_at_5,
              outcome.recall_at_10,
              outcome.mrr);
  std::fflush(stdout);
}

void print_head() {
  std::puts("| | recall@1 | recall@5 | recall@10 | MRR |\n|---|---:|---:|---:|---:|");
}

// All sets together, then each alone.
void print_sets(const std::vector<bench::SearchSet>& sets, const Tuning& tuning) {
  const bench::Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  const bench::Outcomes everything = bench::outcomes(sets, tuning, all);
  print_row("all sets", mean(everything, all));
  print_row("queries that spell no tool's name",
            mean(everything, [&](std::size_t set, std::size_t query) {
              return !sets[set].queries[query].spells_name;
            }));
  for (std::size_t chosen = 0; chosen < sets.size(); ++chosen) {
    const bench::Outcomes one = {everything[chosen]};
    print_row(("only " + sets[chosen].name).c_str(), mean(one, all));
  }
  std::printf("\nQueries without an answer: %.2f %%\n", mean(everything, all).empty * 100);
}

void ablate(const std::vector<bench::SearchSet>& sets) {
  const bench::Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  print_head();
  for (const Ablation& ablation : ablations) {
    Tuning tuning;
    ablation.switch_off(tuning);
    print_row(ablation.name, mean(bench::outcomes(sets, tuning, all), all));
  }
  print_sets(sets, {});
}

// Of one set: what its servers' queries have gained, and the gain that is left when the server that
// gained most is left out.
struct Gains {
  bench::Outcome mean;
  double least = 0;  // recall@5 and MRR together
};

Gains gains_by_server(const bench::SearchSet& set,
                      const std::vector<bench::Outcome>& shipped,
                      const std::vector<bench::Outcome>& textbook) {
  const bench::Outcomes now = {shipped};
  const bench::Outcomes before = {textbook};
  const auto gain = [&](const bench::Counts& counts) {
    const bench::Outcome with = mean(now, counts);
    const bench::Outcome without = mean(before, counts);
    return with.recall_at_5 + with.mrr - without.recall_at_5 - without.mrr;
  };
  Gains gains{.mean = {}, .least = 1};
  double servers = 0;
  for (std::size_t server = 0; server < set.servers; ++server) {
    const auto is_of = [&](std::size_t, std::size_t query) {
      return std::ranges::count(set.right_servers[query], server) > 0;
    };
    const auto is_of_others = [&](std::size_t of, std::size_t query) {
      return !is_of(of, query);
    };
    gains.least = std::min(gains.least, gain(is_of_others));
    const bench::Outcome one = mean(now, is_of);
    const bool has_queries = std::ranges::any_of(set.right_servers, [server](const auto& right) {
      return std::ranges::count(right, server);
    });
    servers += has_queries ? 1 : 0;
    gains.mean.recall_at_5 += one.recall_at_5;
    gains.mean.mrr += one.mrr;
  }
  gains.mean.recall_at_5 /= std::max(1.0, servers);
  gains.mean.mrr /= std::max(1.0, servers);
  return gains;
}

// A share of nothing is shown as none.
std::string percent(double share, std::size_t of) {
  return of == 0 ? "" : std::to_string(std::lround(share * 100)) + " %";
}

// The share of the queries that are said to match nothing well, of those whose first hit is right
// or those that have no right tool among the first ten.
std::string low_share(const std::vector<bench::Outcome>& outcomes, bool first_is_right) {
  const auto is_meant = [&](std::size_t, std::size_t query) {
    return first_is_right ? outcomes[query].mrr == 1 : outcomes[query].recall_at_10 == 0;
  };
  std::size_t count = 0;
  for (std::size_t query = 0; query < outcomes.size(); ++query) {
    count += is_meant(0, query) ? 1 : 0;
  }
  return percent(bench::mean({outcomes}, is_meant).low, count);
}

// Recall@5 and MRR, and how often confidence is low.
void print_each_set(const std::vector<bench::SearchSet>& sets) {
  const bench::Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  const bench::Outcomes shipped = bench::outcomes(sets, {}, all);
  const bench::Outcomes textbook = bench::outcomes(sets, bench::textbook_bm25f(), all);
  std::puts(
      "| | servers | tools | queries | BM25F | shipped | mean of servers | least gain without one "
      "server | low: right first | missed | no right tool |\n"
      "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const bench::SearchSet& set = sets[i];
    std::printf("| %s | %zu | %zu | %zu |",
                set.name.c_str(),
                set.servers,
                set.documents.size(),
                set.queries.size() + set.without_right_tool.size());
    if (set.queries.empty()) {
      std::printf(" | | | | | |");
    } else {
      const bench::Outcome before = bench::mean({textbook[i]}, all);
      const bench::Outcome now = bench::mean({shipped[i]}, all);
      const Gains gains = gains_by_server(set, shipped[i], textbook[i]);
      std::printf(" %.3f %.3f | %.3f %.3f | %.3f %.3f | %+.3f | %s | %s |",
                  before.recall_at_5,
                  before.mrr,
                  now.recall_at_5,
                  now.mrr,
                  gains.mean.recall_at_5,
                  gains.mean.mrr,
                  gains.least / 2,
                  low_share(shipped[i], true).c_str(),
                  low_share(shipped[i], false).c_str());
    }
    std::printf(" %s |\n",
                percent(low_without_right_tool(set), set.without_right_tool.size()).c_str());
  }
}

void validate(const std::vector<bench::SearchSet>& sets, const bench::TuningOptions& options) {
  const bench::Validation validation = cross_validate(sets, options);
  print_head();
  print_row("textbook weights", validation.plain);
  print_row("weights of other servers' queries", validation.held_out);
  print_row("the same, no name spelled", validation.unspelled);
  print_row("shipped weights", validation.shipped);
}

void print_tuned(const std::vector<bench::SearchSet>& sets, const bench::TuningOptions& options) {
  Tuning tuned = bench::tune_on_all(sets, options);
  for (const bench::Knob& knob : bench::knobs()) {
    std::printf("%-24s %g\n", std::string(knob.name).c_str(), knob.of(tuned));
  }
}

// What every shipped weight is worth beside the textbook's, in each fold of servers: one that does
// not gain in all of them is no weight to ship.
void compare_weights(const std::vector<bench::SearchSet>& sets,
                     const bench::TuningOptions& options) {
  const bench::Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  const Tuning plain = bench::plain_tuning();
  const bench::Outcomes shipped = bench::outcomes(sets, {}, all);
  std::puts("| | textbook | shipped | recall@5 and MRR gained, by fold |\n|---|---:|---:|---|");
  for (const bench::Knob& knob : bench::knobs()) {
    Tuning changed;
    Tuning textbook = plain;
    const double before = knob.of(changed);
    const double value = knob.of(textbook);
    if (value == before) {
      continue;
    }
    knob.of(changed) = value;
    const bench::Outcomes found = bench::outcomes(sets, changed, all);
    std::printf("| %s | %g | %g |", std::string(knob.name).c_str(), value, before);
    for (std::size_t fold = 0; fold < options.folds; ++fold) {
      const auto counts = [&](std::size_t set, std::size_t query) {
        return bench::fold_of(sets[set], query, options.folds) == fold;
      };
      const bench::Outcome with = mean(shipped, counts);
      const bench::Outcome without = mean(found, counts);
      std::printf(" %+.4f %+.4f", with.recall_at_5 - without.recall_at_5, with.mrr - without.mrr);
      std::printf("%s", fold + 1 < options.folds ? "," : " |\n");
    }
    std::fflush(stdout);
  }
}

// The scores with some numbers changed: "name coverage=0.8".
int try_tuning(const std::vector<bench::SearchSet>& sets, std::span<char*> changes) {
  Tuning tuning;
  for (const char* const change : changes) {
    const std::string_view words = change;
    const std::size_t equals = words.find('=');
    const auto knob =
        std::ranges::find(bench::knobs(), words.substr(0, equals), &bench::Knob::name);
    if (equals == std::string_view::npos || knob == bench::knobs().end()) {
      std::fprintf(stderr, "no such number: %s\n", change);
      return 2;
    }
    knob->of(tuning) = std::strtod(change + equals + 1, nullptr);
  }
  print_head();
  print_sets(sets, tuning);
  return 0;
}

}  // namespace

// NOLINTBEGIN(concurrency-mt-unsafe): getenv, in a program of one thread.
int main(int count, char** arguments) {
  if (count > 1 && std::string_view(arguments[1]) == "eval") {
    return bench::run_eval(std::vector<std::string>(arguments + 2, arguments + count));
  }
  const char* given = count > 1 ? arguments[1] : std::getenv("PI_MCP_SEARCH_SETS");
  const std::string mode = count > 2 ? arguments[2] : "";
  // NOLINTEND(concurrency-mt-unsafe)
  if (given == nullptr) {
    std::fputs("give the folder of the query sets, or set PI_MCP_SEARCH_SETS\n", stderr);
    return 2;
  }
  const pi_mcp::Result<std::vector<bench::SearchSet>> sets = bench::read_search_sets(given);
  if (!sets) {
    std::fprintf(stderr, "%s\n", sets.error().message().c_str());
    return 1;
  }
  const bench::TuningOptions options = {.verbose = true};
  if (mode == "try") {
    return try_tuning(*sets, std::span(arguments, static_cast<std::size_t>(count)).subspan(3));
  }
  if (mode == "validate") {
    validate(*sets, options);
  } else if (mode == "sets") {
    print_each_set(*sets);
  } else if (mode == "tune") {
    print_tuned(*sets, options);
  } else if (mode == "weights") {
    compare_weights(*sets, options);
  } else if (mode == "answers") {
    bench::print_answers(*sets);
  } else if (mode == "speed") {
    bench::print_speed(*sets);
  } else {
    ablate(*sets);
  }
  return 0;
}
