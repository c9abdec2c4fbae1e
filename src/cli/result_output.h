// Prints what a request of the session gave: for a person, for a pipe, or as JSON.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/exit_status.h"
#include "gateway/tool_result.h"

namespace pi_mcp::cli {

// How results are wanted.
struct OutputOptions {
  bool json = false;
  std::optional<std::string> file;  // of --output
};

// Prints a result to stdout, or why there is none to stderr (with --json also to stdout). `subject`
// is the tool or server it is about. The status to end with.
ExitStatus print_result(Console& console,
                        const OutputOptions& options,
                        const std::string& subject,
                        const gateway::ToolResult& result);

// A failure in our own words: the text of the mcp tool with the next step as a shell command.
std::string failure_text(const gateway::ToolResult& result);

}  // namespace pi_mcp::cli
