// A message of ours that a host shows to people.
#pragma once

#include <string>

#include "mcp/server/log.h"

namespace pi_mcp::registry {

using mcp::LogLevel;
using mcp::own_logger;

struct Notice {
  LogLevel level = LogLevel::info;
  std::string text;
};

}  // namespace pi_mcp::registry
