// Starts what uvx would start, without the uv process that would stay beside it (34 to 63 MiB), and
// without asking uv when it has been asked before (docs/decisions/0040-no-launcher-stays.md).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/time.h"
#include "io/loop/task.h"
#include "io/process/process.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {

// What uv is to be asked behind the running server.
struct UvCheck {
  std::string server;
  std::string note;  // the file that it writes
  io::Command command;
};

struct UvStart {
  Launch launch;                          // what to start
  std::function<bool()> found = nullptr;  // uv is asked first: whether it has answered
  std::string installing;                 // what it then has to install; empty: perhaps nothing
  std::optional<UvCheck> check;           // to be done later
};

// The launch with its uvx or uv tool run command replaced by the program of the environment that uv
// made for it, as uv said in <agentDir>/launch/uv-…; by a shell that asks uv first when it has said
// nothing yet, what it said may have changed (PATH, versions of Python that are asked for, settings
// of uv, installed tools), the environment is gone, or nobody could look for 30 days. Unchanged for
// other commands and on any doubt (uv_tool.h). Reads a small file and looks at some others.
UvStart without_uv(Launch launch, EpochMs now);

// Asks uv with the lowest priority, 30 min at most. A failure is logged as information, and
// somebody tries again in a day. Cancelling ends uv.
io::Task<void> check_uv(UvCheck check);

}  // namespace pi_mcp::servers
