// The entry by which a host starts pi-mcp. Pure.
#pragma once

#include <set>
#include <string>

#include "config/import/hosts.h"

namespace pi_mcp::setup {

// Variables of the environment that servers which move have from their hosts.
struct Variables {
  std::set<std::string> all;
  std::set<std::string> set;
};

// With the program's path. The host hands on to us what it handed on to the servers that move.
std::string our_entry(const config::Host& host,
                      const std::string& program,
                      const Variables& variables);

// `written` (JSON) names the program `lost`: with `program` in its place; what else it says stays.
std::string mended_entry(const std::string& written,
                         const std::string& lost,
                         const std::string& program);

}  // namespace pi_mcp::setup
