// What stands in place of a page that begins behind the end of its list or text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/count_text.h"
#include "tool/message.h"

namespace pi_mcp::tool {

// `thing`, of which there are `total`, is "tool", "byte" or the like.
inline Message past_end_text(std::size_t total, std::string_view thing) {
  return "The offset is past the end: there " + std::string(total == 1 ? "is " : "are ") +
         text::count_text(total, thing) + ". Next: a smaller one, " + Message(NextPage{0}) +
         " for the first.";
}

}  // namespace pi_mcp::tool
