// mcp({ describe }): everything about one tool. Offline: starts only servers of which nothing is
// known, for a tool that nobody else has.
#pragma once

#include <cstddef>

#include "catalog/catalog.h"
#include "tool/answer.h"
#include "tool/text.h"

namespace pi_mcp::tool {

struct DescribeFacts final : Facts {
  catalog::CatalogTool tool;
  ToolMarks marks;
  std::size_t offset = 0;      // bytes of description and parameters to leave out
  std::size_t tokens_max = 0;  // of the text

  // Whether the name that the server has for the tool cannot be seen in ours, and can be shown.
  [[nodiscard]] bool is_renamed() const;
  [[nodiscard]] Message text() const override;
  void write_details(json::Writer& out) const override;
};

}  // namespace pi_mcp::tool
