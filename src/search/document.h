// One tool as search sees it. Pure data.
#pragma once

#include <string>
#include <vector>

namespace pi_mcp::search {

struct Document {
  std::string name;      // as shown
  std::string original;  // the server's own name
  std::string group;     // the server
  std::string description;
  std::vector<std::string> keywords;  // extra phrases
};

}  // namespace pi_mcp::search
