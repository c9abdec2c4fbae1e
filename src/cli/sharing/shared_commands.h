// What people see and stop of the process that all sessions share.
#pragma once

#include <string>
#include <vector>

#include "cli/setup.h"
#include "cli/show/exit_status.h"
#include "io/loop/task.h"
#include "tool/sharing/shared_view.h"

namespace pi_mcp::cli {

// `pi-mcp stop`: ends servers of it.
ExitStatus run_stop_command(const Setup& setup);

// Ends servers that it only keeps for the next command; not those that a session uses.
void stop_resting(const Setup& setup, std::vector<std::string> servers);

// Who shares them now, and what each runs. There may be several processes: sessions whose hard
// limits are higher than those of the first have one of their own, and one whose socket was removed
// may have come back beside another.
struct SharedNow {
  std::vector<tool::SharedView> views;
  std::vector<runs::RunRecord> runs;  // of all
  std::vector<int> silent;            // the ids of those that do not answer
  std::vector<int> of_other_builds;   // the ids of those of other builds, which cannot be asked

  // Else a server that is not among them may run all the same.
  [[nodiscard]] bool saw_all() const { return silent.empty() && of_other_builds.empty(); }
};
// Of one server with what it said last; with an empty name of all. Starts none.
io::Task<SharedNow> look_at_shared(const Setup* setup, std::string server = {});

}  // namespace pi_mcp::cli
