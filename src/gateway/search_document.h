// A tool as search sees it: its texts, and what its schema says about its parameters. Pure.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "search/document.h"

namespace pi_mcp::gateway {

// Parameters nested deeper than this are not searched.
constexpr std::size_t searched_depth_max = 5;
// Enumerated values of all parameters of a tool; lists of countries are not worth more.
constexpr std::size_t searched_values_max = 256;

search::Document search_document(const catalog::CatalogTool& tool,
                                 std::vector<std::string> keywords);

}  // namespace pi_mcp::gateway
