// How `pi-mcp setup` shows a plan and what was done: for people, and as JSON. Never what an entry
// says: it may have secrets. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/show/style.h"
#include "setup/plan.h"
#include "setup/run.h"

namespace pi_mcp::cli {

struct SetupLook {
  const Style& style;
  std::size_t columns = 80;
  std::string home;
  bool copy = false;
};

std::string plan_text(const setup::Plan& plan, const SetupLook& look);
std::string undo_text(const std::vector<setup::UndoneFile>& files,
                      setup::UndoWay way,
                      const SetupLook& look);

// What was done with a plan; `backups` are empty where nothing was.
struct SetupDone {
  bool done = false;
  std::vector<setup::Backup> backups;
};
std::string plan_json(const setup::Plan& plan, const SetupDone& done);
std::string undo_json(const std::vector<setup::UndoneFile>& files, setup::UndoWay way);

// Whether there is a host that could have pi-mcp, and each of them is left out.
[[nodiscard]] bool leaves_all_out(const setup::Plan& plan);

// How many servers the plan gives the user's file.
std::size_t servers_of(const setup::Plan& plan);

}  // namespace pi_mcp::cli
