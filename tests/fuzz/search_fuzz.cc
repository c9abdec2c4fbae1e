// What somebody asks the search for, or whatever a server says of its tool: an answer comes, keeps
// its limits and its order, and is the same the next time. A zero byte divides the input into a
// query and the description of a tool.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "search/ranker.h"

namespace {

using pi_mcp::search::Document;
using pi_mcp::search::Hit;
using pi_mcp::search::Ranker;
using pi_mcp::search::Ranking;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

Document tool(std::string_view group, std::string_view name, std::string_view description) {
  Document document;
  document.name = name;
  document.original = name;
  document.group = group;
  document.description = description;
  document.parameter_texts = description;
  return document;
}

// Two tools that are always there, and one that says `description`.
std::vector<Document> documents(std::string_view description) {
  return {tool("files", "read_text_file", "Read the complete contents of a file as text"),
          tool("weather", "getForecast", "Forecast for a city, by date"),
          tool("x", "y", description)};
}

void check(const Ranker& ranker, std::string_view query) {
  const Ranking ranking = ranker.rank(query);
  const Ranking again = ranker.rank(query);
  require(ranking.hits.size() <= ranker.size() && ranking.close <= ranking.hits.size());
  require(ranking.hits.size() == again.hits.size() && ranking.confidence == again.confidence);
  require(ranking.confidence >= 0 && ranking.confidence <= 1);
  for (std::size_t i = 0; i < ranking.hits.size(); ++i) {
    const Hit& hit = ranking.hits[i];
    require(std::isfinite(hit.score) && hit.document < ranker.size());
    require(hit.document == again.hits[i].document && hit.score == again.hits[i].score);
    require(!ranker.explain(query, hit.document).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  // Both come out of JSON, so they are valid UTF-8.
  const std::string query = pi_mcp::text::valid_utf8(input.substr(0, end));
  const std::string description =
      pi_mcp::text::valid_utf8(input.substr(std::min(end + 1, input.size())));
  const Ranker ranker(documents(description));
  check(ranker, query);
  if (const auto found = ranker.match(query)) {
    require(found->size() <= ranker.size());
  } else {
    require(!found.error().message().empty());
  }
  constexpr std::size_t names_max = 2;
  require(ranker.suggest(query, names_max).size() <= names_max);
  return 0;
}
