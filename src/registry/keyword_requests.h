// Keywords written by a model: which tools want some, what a model is asked, and what is taken of
// its answer. Servers' texts and the answer are data here, never more (docs/decisions/0059). Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "catalog/keywords.h"

namespace pi_mcp::registry {

// A tool whose name, title and description have fewer different words, stop words apart, wants
// keywords.
constexpr std::size_t described_words_min = 24;
// Of one request.
constexpr std::size_t asked_tools_max = 40;
constexpr std::size_t asked_bytes_max = std::size_t{48} << 10U;
// Of a description and of the names of parameters, in a request.
constexpr std::size_t asked_text_units_max = 400;
constexpr std::size_t asked_parameters_max = 12;
// What is read of answers at most, and what all attempts together may look through: a model may
// write braces in the prose around an object.
constexpr std::size_t answer_bytes_max = std::size_t{4} << 20U;
constexpr std::size_t answer_steps_max = 4 * answer_bytes_max;
// Tools that are named when they are left out.
constexpr std::size_t unknown_named_max = 5;

// Whether its own words are few. Resources and tools without a name for a request are not asked
// about.
bool wants_keywords(const catalog::CatalogTool& tool);
// "server/tool", by which requests and answers name it.
std::string keyword_key(const catalog::CatalogTool& tool);

// What a model is asked about these tools, in their order, of at most `requests_max` requests.
std::vector<std::string> keyword_requests(const std::vector<const catalog::CatalogTool*>& tools,
                                          std::size_t requests_max);

struct KeywordAnswer {
  catalog::Keywords keywords;  // of those that were asked about
  std::size_t words = 0;       // in them
  std::size_t unknown = 0;     // members that name no tool that was asked about
  std::vector<std::string> unknown_names;
  std::size_t without_words = 0;  // tools of which nothing could be taken
};

// The objects {"server/tool": ["word", ...]} in a text, whatever stands around them, also as the
// member "keywords" of an object. `asked`: all others are unknown.
KeywordAnswer read_keyword_answer(std::string_view text,
                                  const std::vector<const catalog::CatalogTool*>& asked);

}  // namespace pi_mcp::registry
