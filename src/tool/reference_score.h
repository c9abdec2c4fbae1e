// The score that the reference adapter gives a document (docs/search.md). Results carry it, so that
// programs made for that adapter find the numbers they know; it does not decide the order. Pure.
#pragma once

#include <string_view>

#include "search/document.h"

namespace pi_mcp::tool {

// 0 when the document does not satisfy the query.
double reference_score(const search::Document& document, std::string_view query);

}  // namespace pi_mcp::tool
