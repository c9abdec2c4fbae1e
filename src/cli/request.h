// From a command line to the request of the `mcp` tool that does the same. Pure.
#pragma once

#include <cstdint>
#include <limits>

#include "base/result.h"
#include "cli/command_line.h"
#include "gateway/tool_request.h"

namespace pi_mcp::cli {

// A shell has pagers and grep: a list has no end of its own.
constexpr std::size_t list_limit = std::numeric_limits<std::int32_t>::max();

// Whether the words and options of a search go together. invalid_argument: which do not.
Result<void> check_search(const CommandLine& line);

// For status, list, search, describe and call; the arguments of a call are left out.
Result<gateway::ToolRequest> request_of(const CommandLine& line);

}  // namespace pi_mcp::cli
