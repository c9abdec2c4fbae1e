// Reads query sets, and ranks their queries with a given tuning, in two processes.
#include "search_sets.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "process.h"
#include "registry/search_document.h"
#include "search/ranker.h"
#include "search_metrics.h"

namespace bench {
namespace {

using pi_mcp::Error;
using pi_mcp::ErrorCode;
using pi_mcp::fail;
using pi_mcp::Result;
using ToolKey = EvaluationQuery::ToolKey;
namespace registry = pi_mcp::registry;
namespace search = pi_mcp::search;
namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void resolve(SearchSet& set) {
  std::map<ToolKey, std::size_t> places;
  std::map<std::string, std::size_t> servers;
  for (std::size_t i = 0; i < set.documents.size(); ++i) {
    places.emplace(ToolKey(set.documents[i].group, set.documents[i].original), i);
    servers.emplace(set.documents[i].group, servers.size());
  }
  set.servers = servers.size();
  for (const EvaluationQuery& query : set.queries) {
    std::vector<std::vector<std::size_t>>& needs = set.needs.emplace_back();
    std::vector<std::size_t>& right = set.right_servers.emplace_back();
    for (const std::vector<ToolKey>& need : query.needs) {
      std::vector<std::size_t>& documents = needs.emplace_back();
      for (const ToolKey& tool : need) {
        if (const auto place = places.find(tool); place != places.end()) {
          documents.push_back(place->second);
          right.push_back(servers[tool.first]);
        }
      }
    }
  }
}

// Empty when there is none.
fs::path catalog_of(const fs::path& folder) {
  for (const fs::path& place : {folder, folder.parent_path()}) {
    if (fs::exists(place / "catalog.jsonl")) {
      return place / "catalog.jsonl";
    }
  }
  return {};
}

Result<SearchSet> read_set(const fs::path& folder) {
  SearchSet set;
  set.name = folder.filename();
  set.catalog = std::make_shared<pi_mcp::catalog::Catalog>();
  pi_mcp::catalog::Catalog& catalog = *set.catalog;
  const fs::path tools_file = catalog_of(folder);
  if (const Result<void> filled = fill_catalog(contents(tools_file), catalog); !filled) {
    return fail(Error(filled.error()).while_doing(tools_file.string()));
  }
  Result<std::vector<EvaluationQuery>> queries =
      parse_evaluation_queries(contents(folder / "queries.jsonl"));
  if (!queries) {
    return fail(Error(queries.error()).while_doing((folder / "queries.jsonl").string()));
  }
  for (EvaluationQuery& query : *queries) {
    (query.needs.empty() ? set.without_right_tool : set.queries).push_back(std::move(query));
  }
  registry::SearchableTools tools;
  tools.update(catalog, catalog.servers(), {});
  for (std::size_t i = 0; i < tools.ranker.size(); ++i) {
    set.readers.push_back(std::make_unique<registry::DocumentReader>());
    set.documents.push_back(set.readers.back()->read(*tools.tools[i]));
    set.schemas.push_back(tools.tools[i]->input_schema);
  }
  resolve(set);
  return set;
}

Outcome outcome(const search::Ranker& ranker,
                const EvaluationQuery& query,
                const std::vector<std::vector<std::size_t>>& needs) {
  const search::Ranking ranking = ranker.rank(query.query);
  std::vector<std::optional<std::size_t>> places;
  places.reserve(needs.size());
  const std::size_t looked_at = std::min(ranking.hits.size(), evaluation_ranks);
  const auto end = ranking.hits.begin() + static_cast<std::ptrdiff_t>(looked_at);
  for (const std::vector<std::size_t>& need : needs) {
    const auto hit = std::find_if(ranking.hits.begin(), end, [&need](const search::Hit& candidate) {
      return std::find(need.begin(), need.end(), candidate.document) != need.end();
    });
    places.push_back(hit == end
                         ? std::nullopt
                         : std::optional(static_cast<std::size_t>(hit - ranking.hits.begin())));
  }
  const QueryScore score = score_places(places);
  return {.recall_at_1 = score.recall_at_1,
          .recall_at_5 = score.recall_at_5,
          .recall_at_10 = score.recall_at_10,
          .mrr = score.reciprocal_rank,
          .empty = ranking.hits.empty() ? 1.0 : 0.0,
          .low = ranking.low() ? 1.0 : 0.0};
}

}  // namespace

Result<std::vector<SearchSet>> read_search_sets(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (fs::exists(entry.path() / "queries.jsonl") && !catalog_of(entry.path()).empty()) {
      folders.push_back(entry.path());
    }
  }
  if (folders.empty()) {
    return fail(ErrorCode::invalid_argument,
                "no query sets in \"" + folder.string() +
                    "\": give a folder whose folders hold a queries.jsonl and a catalog.jsonl");
  }
  std::sort(folders.begin(), folders.end());
  std::vector<SearchSet> sets;
  for (const fs::path& path : folders) {
    Result<SearchSet> set = read_set(path);
    if (!set) {
      return fail(set.error());
    }
    sets.push_back(*std::move(set));
  }
  return sets;
}

namespace {

// A query by the numbers of its set and of itself.
struct Place {
  std::size_t set = 0;
  std::size_t query = 0;
};

// The outcomes of every second place from `first` on.
std::vector<Outcome> rank_half(const std::vector<SearchSet>& sets,
                               const search::Tuning& tuning,
                               const std::vector<Place>& places,
                               std::size_t first) {
  std::vector<Outcome> found;
  std::optional<search::Ranker> ranker;
  std::size_t ranked_set = sets.size();
  for (std::size_t i = first; i < places.size(); i += 2) {
    const SearchSet& set = sets[places[i].set];
    if (places[i].set != ranked_set) {
      ranked_set = places[i].set;
      ranker.emplace(set.documents, tuning);
    }
    const std::size_t query = places[i].query;
    found.push_back(outcome(*ranker, set.queries[query], set.needs[query]));
  }
  return found;
}

// In a process of its own, because the thesaurus and the stemmer are of one thread.
struct Helper {
  pid_t pid;
  int answers;
};

Helper start_second_half(const std::vector<SearchSet>& sets,
                         const search::Tuning& tuning,
                         const std::vector<Place>& places) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    die("pipe");
  }
  const pid_t pid = fork();
  if (pid < 0) {
    die("fork");
  }
  if (pid == 0) {
    const std::vector<Outcome> found = rank_half(sets, tuning, places, 1);
    write_all(ends[1],
              {reinterpret_cast<const char*>(found.data()), found.size() * sizeof(Outcome)});
    _exit(0);
  }
  close(ends[1]);
  return {.pid = pid, .answers = ends[0]};
}

std::vector<Outcome> take_second_half(const Helper& helper, std::size_t count) {
  std::vector<Outcome> found(count);
  char* next = reinterpret_cast<char*>(found.data());
  std::size_t left = count * sizeof(Outcome);
  while (left > 0) {
    const ssize_t got = read(helper.answers, next, left);
    if (got <= 0) {
      die("the second process ended early");
    }
    next += got;
    left -= static_cast<std::size_t>(got);
  }
  close(helper.answers);
  waitpid(helper.pid, nullptr, 0);
  return found;
}

}  // namespace

Outcomes outcomes(const std::vector<SearchSet>& sets,
                  const search::Tuning& tuning,
                  const Counts& counts) {
  Outcomes all;
  std::vector<Place> places;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    all.emplace_back(sets[set].queries.size());
    for (std::size_t query = 0; query < sets[set].queries.size(); ++query) {
      if (counts(set, query)) {
        places.push_back({.set = set, .query = query});
      }
    }
  }
  const Helper helper = start_second_half(sets, tuning, places);
  const std::array halves = {rank_half(sets, tuning, places, 0),
                             take_second_half(helper, places.size() / 2)};
  for (std::size_t i = 0; i < places.size(); ++i) {
    all[places[i].set][places[i].query] = halves[i % 2][i / 2];
  }
  return all;
}

double low_without_right_tool(const SearchSet& set) {
  const search::Ranker ranker(set.documents);
  const auto low = std::ranges::count_if(set.without_right_tool, [&](const EvaluationQuery& query) {
    return ranker.rank(query.query).low();
  });
  return static_cast<double>(low) / static_cast<double>(set.without_right_tool.size());
}

Outcome mean(const Outcomes& all, const Counts& counts) {
  constexpr std::array measures = {&Outcome::recall_at_1,
                                   &Outcome::recall_at_5,
                                   &Outcome::recall_at_10,
                                   &Outcome::mrr,
                                   &Outcome::empty,
                                   &Outcome::low};
  Outcome total;
  for (std::size_t set = 0; set < all.size(); ++set) {
    Outcome sum;
    double count = 0;
    for (std::size_t query = 0; query < all[set].size(); ++query) {
      if (counts(set, query)) {
        count += 1;
        for (const auto measure : measures) {
          sum.*measure += all[set][query].*measure;
        }
      }
    }
    for (const auto measure : measures) {
      total.*measure += sum.*measure / std::max(1.0, count) / static_cast<double>(all.size());
    }
  }
  return total;
}

}  // namespace bench
