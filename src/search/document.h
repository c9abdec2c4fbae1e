// One tool as search sees it. Pure data.
#pragma once

#include <string>
#include <vector>

namespace pi_mcp::search {

struct Document {
  std::string name;      // as shown
  std::string original;  // the server's own name
  std::string group;     // the server
  std::string title;
  std::string description;
  std::vector<std::string> keywords;  // extra phrases
  // One text each, a line for every one: an index reads it in one go.
  std::string parameters;  // their names, nested ones included
  std::string parameter_texts;
  std::string parameter_values;  // enumerated ones
};

}  // namespace pi_mcp::search
