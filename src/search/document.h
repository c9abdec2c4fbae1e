// One tool as search sees it: pieces of memory that somebody else keeps, because a catalog has most
// of them anyway. Pure data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::search {

struct Document {
  std::string_view name;      // as shown
  std::string_view original;  // the server's own name
  std::string_view group;     // the server
  std::string_view title;
  std::string_view description;
  std::vector<std::string> keywords;  // extra phrases
  std::vector<std::string> written;   // the same, written by a model: found by words only
  // One text each, a line for every one: an index reads it in one go, and then forgets it.
  std::string_view parameters;  // their names, nested ones included
  std::string_view parameter_texts;
  std::string_view parameter_values;  // enumerated ones
};

}  // namespace pi_mcp::search
