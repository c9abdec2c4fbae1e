// A shell that runs a launcher to its end and then becomes the program which that one installed, so
// that no launcher stays above a server (docs/decisions/0040-no-launcher-stays.md). Pure.
#pragma once

#include <string>

#include "packages/uv_tool.h"

namespace pi_mcp::packages {

// For `npx …` and `npm exec …` that name a program or package. The program runs in `folder`.
CommandLine npx_handover(const std::string& command,
                         const LauncherCall& call,
                         const std::string& folder);

// A file that keeps what uv found.
struct UvNote {
  std::string path;
  std::string stamp;  // first line of the file: says for what it was found
  std::string last;   // the lines below it, to be taken when uv fails; empty: none
};

// The program runs in `folder`; empty: uv looks and the note is written, nothing is started.
CommandLine uv_handover(const UvTool& tool, const UvNote& note, const std::string& folder);

}  // namespace pi_mcp::packages
