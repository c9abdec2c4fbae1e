// Servers that run in other processes of this user, as those say themselves: by their run records
// (runs/run_folder.h), or when asked. With what their processes take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "io/process/process_tree.h"
#include "runs/run_folder.h"

namespace pi_mcp::cli {

struct RunningServer {
  servers::ServerStatus status;
  int owner = 0;       // process id of the pi-mcp it belongs to
  std::string client;  // for whom; may be empty
  std::string cwd;
  std::optional<io::TreeUse> use;
  bool configured = true;  // here; another project may have another server of this name
};

// The servers of all processes, each with the memory of its own processes. `shared`: what the
// process that sessions share has answered.
std::vector<RunningServer> running_servers(const config::Settings& settings,
                                           const std::vector<runs::RunRecord>& shared);

// Counts tools as sessions show them, where that is known: a server itself counts neither those
// that are made of its resources, nor leaves out what its entry does.
void count_as_shown(std::vector<RunningServer>& running,
                    const std::vector<servers::ServerStatus>& configured);

// Adds to servers that this process has not used how their last run failed.
void add_last_failures(std::vector<servers::ServerStatus>& servers,
                       const config::Settings& settings);

// What runs, for a program: an array with one object for each server.
std::string running_json(const std::vector<RunningServer>& servers);

}  // namespace pi_mcp::cli
