// Servers of which no tool is known yet: why that is so, and waiting a little for those that start.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "tool/call_context.h"
#include "tool/message.h"

namespace pi_mcp::tool {

struct ModeParts;

// How long a request that would find nothing waits for servers that are being started.
constexpr Milliseconds first_answer_wait{8000};

// An enabled server that no search can look into.
struct UnknownServer {
  enum class Why : std::uint8_t { connecting, failed, never_connected };
  std::string name;
  Why why = Why::never_connected;
  std::string reason;        // failed: when, and what happened
  bool wants_login = false;  // failed: for want of one
  Message keeping;           // keeping_step() before that
};
// `server` empty: among all.
std::vector<UnknownServer> unknown_servers(const registry::ServerRegistry& registry,
                                           std::string_view server);
std::vector<std::string> names_of(const std::vector<UnknownServer>& servers);

// What a session has told its model of unknown servers.
using ToldServers = std::set<std::pair<std::string, UnknownServer::Why>>;
// Says of each why it is unknown and what to do, the names alone where all of that was told before;
// empty for none.
Message unknown_text(const std::vector<UnknownServer>& servers, const ToldServers& told = {});

// Those of the user's own servers that are started unasked because this is the first run, which
// learns what they list; nothing of a project starts by itself because its folder is new here.
// Not those that other processes have told of.
io::Task<std::set<std::string>> first_run_servers(registry::ServerRegistry* registry);

// Starts those of the unknown servers (of all, or the one named) that nobody has tried yet, and
// waits until `found`, until none of them is on its way, or until the deadline. They go on starting
// afterwards. `parts` outlives the task.
io::Task<void> wait_for_unknown(ModeParts* parts,
                                std::string server,
                                CallContext context,
                                std::function<bool()> found,
                                TimePoint deadline);

}  // namespace pi_mcp::tool
