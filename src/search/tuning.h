// Every number of the ranking in one place. The values were chosen on two public sets of queries,
// starting from textbook ones (docs/search.md says how, and what each technique is worth). Pure
// data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pi_mcp::search {

// What a document is made of.
enum class Field : std::uint8_t {
  name,              // the server's own name of the tool
  group,             // the server
  description,       // title and description
  parameters,        // their names
  parameter_texts,   // their descriptions
  parameter_values,  // their enumerated values
  keywords,          // of the configuration
  written,           // keywords written by a model
};
constexpr std::size_t field_count = 8;

struct FieldTuning {
  double weight = 1;
  double length = 0;  // 0: the length of the field does not matter; 1: it divides
};

struct Tuning {
  std::array<FieldTuning, field_count> fields = {{{.weight = 2, .length = 0.5},
                                                  {.weight = 3, .length = 0.5},
                                                  {.weight = 1, .length = 0.5},
                                                  {.weight = 1, .length = 0.5},
                                                  {.weight = 1, .length = 0.5},
                                                  {.weight = 1, .length = 0.5},
                                                  {.weight = 2, .length = 0.5},
                                                  {.weight = 1, .length = 0.5}}};
  double saturation = 1.2;      // BM25's k1: how soon repeating a word stops to count
  double name_coverage = 1;     // share of the tool's name that the query explains
  double query_coverage = 0.3;  // share of the query that the tool's name explains
  double named_server = 0.5;    // share of its server's name that the query has
  double part = 0.6;            // the best sentence or clause of the query alone, beside the whole
  double variety = 0.14;        // how much less a hit counts for each before it of the same part
  double server = 0.2;          // what the tools of its server together score
  double server_length = 0.75;
  // Weights of query words.
  double synonym = 0.5;
  double translation = 0.75;
  double typo = 0.75;
  double beginning = 0.5;  // of an unknown word, or one it begins with
  double literal = 1;      // what a date, an address, a file name says about the tool
  double value = 0.5;      // words of literals and quotes, numbers: what the tool is to be used on
};

}  // namespace pi_mcp::search
