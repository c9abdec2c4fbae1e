// What a shell is told beside what the `mcp` tool answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/show/running.h"
#include "cli/show/tool_list_view.h"
#include "config/settings.h"
#include "tool/answer.h"
#include "tool/modes/list.h"
#include "tool/modes/status.h"
#include "tool/sharing/shared_view.h"

namespace pi_mcp::cli {

// What the session knows, and what other processes run.
struct ShellStatus final : tool::StatusFacts {
  std::vector<RunningServer> running;
  std::vector<tool::SharedView> shared;  // a process each
  std::vector<int> silent;               // ids of such that do not answer
  std::vector<int> of_other_builds;      // ids of those of other builds, which cannot be asked
  std::string obstacle;                  // see sharing_text()

  void write_details(json::Writer& out) const override;
};

// A member with the ids of processes; none where there are none.
void write_processes(json::Writer& out, std::string_view key, const std::vector<int>& ids);

// The answer, whose details also have these warnings.
tool::Answer with_warnings(tool::Answer answer, std::vector<config::Warning> warnings);

// The details of several answers of a mode, with these warnings unless they are null.
std::string together(std::string_view mode,
                     const std::vector<tool::Answer>& answers,
                     const std::vector<config::Warning>* warnings);

// The tools that the answer names, in its order.
ToolPage page_of(const std::vector<catalog::CatalogTool>& tools, const tool::ListFacts& facts);

}  // namespace pi_mcp::cli
