// A tool as search sees it: its texts, and what its schema says about its parameters. Pure.
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "json/document.h"
#include "search/document.h"

namespace pi_mcp::registry {

// Schemas inside schemas (parameters, elements, alternatives, references) below this are not read.
constexpr std::size_t searched_depth_max = 10;
// Enumerated values of all parameters of a tool; lists of countries are not worth more.
constexpr std::size_t searched_values_max = 256;
// More references than this of one schema are not followed.
constexpr std::size_t searched_references_max = 64;

// Reads one tool after the other and reuses its memory.
class DocumentReader {
 public:
  // The tool's document without keywords. The texts of its parameters are here until the next one
  // is read, the others are the tool's.
  search::Document read(const catalog::CatalogTool& tool);

 private:
  json::Document schema_;
  std::string parameters_;
  std::string texts_;
  std::string values_;
};

}  // namespace pi_mcp::registry
