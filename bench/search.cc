// Measures the ranking on query sets whose right tools are known (docs/search.md).
//
//   search FOLDER           what each technique is worth: the table of docs/search.md
//   search FOLDER validate  cross-validation over servers
//   search FOLDER tune      the weights that all queries together choose
//   search FOLDER speed     time and memory of 10,000 and 100,000 tools, copies of the sets' own
//
// FOLDER holds a folder for each set, with catalog.jsonl and queries.jsonl; the default is
// $PI_MCP_SEARCH_SETS. The sets are not part of this repository.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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
    {"without stems",
     [](Tuning& t) {
       t.stems = false;
     }},
    {"without dividing identifiers",
     [](Tuning& t) {
       t.identifiers = false;
     }},
    {"with the server's name in a tool's",
     [](Tuning& t) {
       t.bare_names = false;
     }},
    {"without synonyms",
     [](Tuning& t) {
       t.synonym = 0;
     }},
    {"without typos and beginnings",
     [](Tuning& t) {
       t.typo = t.beginning = 0;
     }},
    {"without joined and divided words",
     [](Tuning& t) {
       t.joined = t.divided = 0;
     }},
    {"without literals",
     [](Tuning& t) {
       t.literal = 0;
     }},
    {"quoted text and literals count in full",
     [](Tuning& t) {
       t.quoted = t.inside_literal = 1;
     }},
    {"politeness counts in full",
     [](Tuning& t) {
       t.small_talk = 1;
     }},
    {"numbers and places count in full",
     [](Tuning& t) {
       t.number = t.place = 1;
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
       t.name_covered = t.name_covering = 0;
     }},
    {"without the share of the query",
     [](Tuning& t) {
       t.covered = 0;
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
    {"without neighbouring words",
     [](Tuning& t) {
       t.name_pairs = t.text_pairs = 0;
     }},
    {"without clauses",
     [](Tuning& t) {
       t.clause = 0;
     }},
    {"without diversity",
     [](Tuning& t) {
       t.diversity = 0;
     }},
    {"fields as long as they are",
     [](Tuning& t) {
       for (std::size_t i = 0; i < field_count; ++i) {
         t.fields[i].length = 0;
       }
     }},
};

void print_row(const char* name, const bench::Outcome& outcome) {
  std::printf("| %s | %.3f | %.3f | %.3f | %.3f |\n",
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

void ablate(const std::vector<bench::SearchSet>& sets) {
  const bench::Counts all = [](std::size_t, std::size_t) {
    return true;
  };
  const bench::Counts unspelled = [&](std::size_t set, std::size_t query) {
    return !sets[set].queries[query].spells_name;
  };
  print_head();
  for (const Ablation& ablation : ablations) {
    Tuning tuning;
    ablation.switch_off(tuning);
    print_row(ablation.name, mean(bench::outcomes(sets, tuning, all), all));
  }
  const bench::Outcomes everything = bench::outcomes(sets, {}, all);
  print_row("queries that spell no tool's name", mean(everything, unspelled));
  for (std::size_t chosen = 0; chosen < sets.size(); ++chosen) {
    const bench::Outcomes one = {everything[chosen]};
    print_row(("only " + sets[chosen].name).c_str(), mean(one, all));
  }
  std::printf("\nQueries without an answer: %.2f %%\n", mean(everything, all).empty * 100);
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

}  // namespace

int main(int count, char** arguments) {
  const char* given = count > 1 ? arguments[1] : std::getenv("PI_MCP_SEARCH_SETS");
  const std::string mode = count > 2 ? arguments[2] : "";
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
  if (mode == "validate") {
    validate(*sets, options);
  } else if (mode == "tune") {
    print_tuned(*sets, options);
  } else if (mode == "speed") {
    bench::print_speed(*sets);
  } else {
    ablate(*sets);
  }
  return 0;
}
