// From a command line to the request of the `mcp` tool that does the same. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "base/result.h"
#include "cli/words/command_line.h"
#include "tool/request.h"

namespace pi_mcp::cli {

// A shell has pagers and grep, so a list is not limited.
constexpr std::size_t list_limit = std::numeric_limits<std::int32_t>::max();

// For status, list, search, describe, read and call; the arguments of a call are left out.
// invalid_argument: words and options that do not go together.
Result<tool::ToolRequest> request_of(const CommandLine& line);

// Starts a server, and lists all its tools.
tool::ToolRequest connect_request(const std::string& server);

}  // namespace pi_mcp::cli
