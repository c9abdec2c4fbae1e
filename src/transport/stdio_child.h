// A server that we start and talk to over its stdin and stdout.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/loop/task.h"
#include "io/process/process.h"
#include "rpc/line_framer.h"
#include "secrets/secrets.h"
#include "transport/transport.h"

namespace pi_mcp::transport {

// What the command does before it becomes the server, when that may take long.
struct Preparation {
  std::string what;            // "installing x with npx"; empty: nothing
  std::function<bool()> done;  // looks at files; empty: nobody can tell
};

// What a failed start may be due to, from the end of stderr.
using FindAdvice = std::function<StartAdvice(std::string_view said)>;

struct StdioChildOptions {
  std::string name;  // of the server, for messages
  io::Command command;
  Preparation preparation;
  FindAdvice find_advice = nullptr;
  TimePoint start_by = TimePoint::max();  // when the system must have started the program
  secrets::Secrets secrets = {};          // of its environment; errors have none of them
  bool debug = false;                     // its stderr is also written to ours
  io::CloseTimes close_times;
  rpc::LineLimits line_limits;
};

// Starts the server; the errors are those of io::Process::start(). The link ends when the server
// closes its stdout or exits, whichever is first. close() must have returned before destruction.
io::Task<Result<std::unique_ptr<Transport>>> open_stdio_child(StdioChildOptions options);

}  // namespace pi_mcp::transport
