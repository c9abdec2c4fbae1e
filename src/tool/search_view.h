// What a search shows: the hits of a query on one page. Pure.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/settings.h"
#include "registry/search_index.h"
#include "tool/request.h"
#include "tool/text.h"

namespace pi_mcp::tool {

// The tools that a query found, best first, and what the first line says about them.
struct SearchHits {
  std::vector<search::Hit> hits;
  std::string heading;  // without the colon; empty when nothing was found
  // Whether the best one explains enough of the words; nullopt: nothing is scored.
  std::optional<bool> confident;
  // After so many hits the right tool hardly ever comes: their names are enough at first.
  std::size_t likely = std::numeric_limits<std::size_t>::max();
};

// The hits of a query of words.
SearchHits search_by_words(const search::Ranker& ranker, const ToolRequest& request);
// Every tool of one server, by name: what a blank query with a server asks for.
SearchHits all_of_server(const registry::SearchableTools& prepared, const std::string& server);

// One page of the hits, as the request's limit and offset cut it. The first page of a request that
// says neither shows less likely tools by name only.
struct SearchPage {
  std::string heading;
  std::string tools;              // how they are shown: their size decides how many fit
  std::vector<search::Hit> hits;  // those on the page
  std::size_t named = 0;          // how many, the last ones, are shown by name only
  std::vector<std::size_t> cut;   // documents of which not all parameters are shown
  std::size_t first = 0;          // offset of the page
  std::size_t total = 0;
  // A tool on it whose name another server's has too, and its server.
  std::optional<std::pair<std::string, std::string>> namesake;

  // The offset of the next page; nullopt: there is none.
  [[nodiscard]] std::optional<std::size_t> next() const;
  [[nodiscard]] Message text() const;
};
// `tokens_max`: about how many tokens heading and tools may have; one tool is always shown.
SearchPage search_page(const registry::SearchableTools& prepared,
                       const ToolRequest& request,
                       const SearchHits& found,
                       std::size_t tokens_max = config::OutputGuard{}.search_tokens_max,
                       const NameNotes& notes = {});

// "Found 3 tools matching "x"".
std::string matching_heading(std::string_view count, const ToolRequest& request);
// "No tools matching "x" in "y"".
std::string nothing_text(const ToolRequest& request);

}  // namespace pi_mcp::tool
