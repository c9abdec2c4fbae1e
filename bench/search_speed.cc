// Builds catalogs of copies of the sets' tools under other servers' names, and searches them.
#include "search_speed.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "catalog/catalog.h"
#include "meter.h"
#include "registry/searchable_tools.h"

namespace bench {
namespace {

using pi_mcp::catalog::Catalog;
namespace search = pi_mcp::search;
using pi_mcp::catalog::Knowledge;
using pi_mcp::registry::SearchableTools;

constexpr std::size_t rounds = 9;
constexpr std::size_t copies_in_server = 10;
constexpr std::size_t queries_timed = 400;

// Copies of all servers until there are so many tools: ten of each in one server, then the next.
Catalog copies(const std::vector<SearchSet>& sets, std::size_t count) {
  std::map<std::string, pi_mcp::mcp::Listing> listings;
  std::size_t tools = 0;
  for (std::size_t round = 0; tools < count; ++round) {
    const std::string copy = std::to_string(round % copies_in_server);
    const std::string end = "-" + std::to_string(round / copies_in_server);
    for (const SearchSet& set : sets) {
      for (std::size_t i = 0; i < set.documents.size() && tools < count; ++i, ++tools) {
        const search::Document& tool = set.documents[i];
        pi_mcp::mcp::Tool& made = listings[std::string(tool.group) + end].tools.emplace_back();
        made.name = std::string(tool.original) + "_" + copy;
        made.title = tool.title;
        made.description = tool.description;
        made.input_schema = set.schemas[i];
      }
    }
  }
  Catalog catalog;
  for (auto& [server, listing] : listings) {
    catalog.add_server(server, {});
    catalog.update(server, std::move(listing), Knowledge::live);
  }
  return catalog;
}

// Queries from all over the sets.
std::vector<std::string> some_queries(const std::vector<SearchSet>& sets) {
  std::vector<std::string> queries;
  for (const SearchSet& set : sets) {
    const std::size_t wanted = queries_timed / sets.size();
    const std::size_t step = std::max<std::size_t>(1, set.queries.size() / wanted);
    for (std::size_t i = 0; i < set.queries.size(); i += step) {
      queries.push_back(set.queries[i].query);
    }
  }
  return queries;
}

void print_row(const std::vector<SearchSet>& sets, std::size_t count) {
  const Catalog catalog = copies(sets, count);
  const std::vector<std::string> servers = catalog.servers();
  std::vector<double> builds;
  for (std::size_t round = 0; round < (count > 10'000 ? 3 : rounds); ++round) {
    SearchableTools tools;
    const double start = processor_ms();
    tools.update(catalog, servers, {});
    builds.push_back(processor_ms() - start);
  }
  const double before = allocated_mb();
  SearchableTools tools;
  tools.update(catalog, servers, {});
  const double memory = allocated_mb() - before;
  std::vector<double> searches;
  for (const std::string& query : some_queries(sets)) {
    const double start = processor_ms();
    const std::size_t found = tools.ranker.rank(query).hits.size();
    searches.push_back(found > 0 ? processor_ms() - start : 0);
  }
  std::sort(builds.begin(), builds.end());
  std::sort(searches.begin(), searches.end());
  std::printf("| %zu | %.1f ms | %.2f ms | %.2f ms | %.0f MB |\n",
              count,
              builds[builds.size() / 2],
              searches[searches.size() / 2],
              searches[searches.size() * 95 / 100],
              memory);
}

}  // namespace

void print_speed(const std::vector<SearchSet>& sets) {
  std::puts("| tools | ready | search p50 | search p95 | memory |\n|---:|---:|---:|---:|---:|");
  for (const std::size_t count : {std::size_t{10'000}, std::size_t{100'000}}) {
    print_row(sets, count);
    std::fflush(stdout);
  }
}

}  // namespace bench
