// mcp({ action: "keywords", server? }): words for tools whose own are few, written by a model
// (docs/search.md): by the host's, where it lends it and the user agrees, else by the one that
// reads the answer and brings the words as `args`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "registry/keyword_requests.h"
#include "tool/answer.h"

namespace pi_mcp::tool {

// Requests to the host's model for one call; the next call goes on.
constexpr std::size_t model_requests_max = 10;

struct KeywordsFacts final : Facts {
  struct Row {
    std::string server;
    std::size_t tools = 0;    // 0: nothing is known of it
    std::size_t few = 0;      // whose own words are few
    std::size_t written = 0;  // of those: have keywords
  };
  struct Kept {
    std::size_t tools = 0;
    std::size_t words = 0;
    std::size_t unknown = 0;
    std::vector<std::string> unknown_names;
    std::size_t without_words = 0;
    void add(const registry::KeywordAnswer& answer);
  };
  std::vector<Row> rows;
  std::size_t waiting = 0;            // tools with few words and without keywords
  std::size_t requests_needed = 0;    // for them
  std::vector<std::string> requests;  // for a model, the first of these; empty: none is wanted
  std::optional<Kept> kept;           // of an answer
  std::string stopped;                // why no more was asked of the host's model; empty: no reason

  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;
};

}  // namespace pi_mcp::tool
