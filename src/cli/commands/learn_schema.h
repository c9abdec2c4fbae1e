// What decides how the arguments of a call are written: the types that its tool wants.
#pragma once

#include <optional>

#include "base/shared_text.h"
#include "cli/commands/line_tool.h"
#include "cli/commands/performer.h"
#include "io/loop/task.h"
#include "tool/answer.h"
#include "tool/request.h"

namespace pi_mcp::cli {

struct LearnedSchema {
  SharedText input_schema;              // empty: nobody knows the tool, or it says nothing
  std::optional<tool::Answer> failure;  // the first, where no server could tell
};

// Where no cache knows the tool, starts the servers that may have it. `performer` outlives it.
io::Task<LearnedSchema> learn_schema(Performer* performer,
                                     LineTool line,
                                     tool::ToolRequest request);

}  // namespace pi_mcp::cli
