// Starts what npx would start, without the npm process that would stay beside it (some 100 MB), and
// without asking the registry first (docs/decisions/0005-npx.md).
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "packages/npx_command.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {

// A tag, range or bare name whose meaning was last looked up more than a day ago.
struct NpxCheck {
  Launch launch;                 // as configured
  packages::NpxCommand command;  // of it
  std::string npm_dir;           // npm's cache folder
  std::string version;           // that is started meanwhile
};

struct NpxStart {
  Launch launch;                                // what to start
  std::optional<packages::NpxCommand> missing;  // npx will install it first
  std::optional<NpxCheck> check;                // to be done later, see npx_check.h
};

// Where npm runs for this launch, absolute.
std::string launcher_folder(const Launch& launch);

// The launch with its npx or npm exec command replaced by the installed program; unchanged when the
// package is not installed, or on any doubt (npm_cache.h). What was found out about tags, ranges
// and bare names is kept in <agentDir>/mcp-npx-cache.json; when nobody could look for 30 days, npx
// is run as written and looks itself. Reads and writes small files; that file failing is only
// logged.
NpxStart without_npm(Launch launch, EpochMs now);

// For a launch whose package is missing: npm installs it and ends before the program starts.
Launch npm_first(Launch launch);

}  // namespace pi_mcp::servers
