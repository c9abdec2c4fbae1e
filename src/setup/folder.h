// The servers of a folder's .mcp.json, which Claude Code starts itself: beside pi-mcp they would
// run twice. Pure but for FileSource.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/environment.h"
#include "config/file_source.h"
#include "setup/plan.h"

namespace pi_mcp::setup {

struct FolderPlan {
  std::vector<std::string> names;  // servers that Claude Code would no longer start
  Plan plan;                       // the change of ~/.claude.json
};

// nullopt: the folder has no .mcp.json, Claude Code is not here, or they are switched off there.
Result<std::optional<FolderPlan>> plan_folder(const config::Environment& environment,
                                              const config::FileSource& files);

// The text with these names added to the list of strings, which is made where it is missing.
Result<std::string> add_to_list(std::string_view text, const ListStep& step);
// Without them again; without the list where the step has made it and nothing else is in it.
Result<std::string> take_from_list(std::string_view text, const ListStep& step);

}  // namespace pi_mcp::setup
