// The front: what a host or a shell starts. It finds the shared process, or starts it, checks it,
// and hands the session over.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "attach/greeting.h"
#include "attach/socket_folder.h"
#include "io/files/fd.h"
#include "io/process/process_limits.h"
#include "io/process/waiter.h"

namespace pi_mcp::attach {

struct FrontRequest {
  MeetingPlace place;
  // argv of the shared process, should we have to start it; the socket's name is added as its last
  // word, which that process gives to Doorman::open().
  std::vector<std::string> shared_process;
  std::vector<std::string> arguments;  // our own argv
  std::string folder;                  // working directory
  std::map<std::string, std::string> environment;
  io::ProcessTraits traits;
  // The host's. Their numbers stay those of this process.
  int input = 0;
  int output = 1;
  int errors = 2;
  // What a front that was a waiter has (io::take_woken()).
  std::optional<io::Woken> woken;
  // False: a shell command, which goes on itself once it is attached.
  bool waits = true;
  // False: it looks at a shared process that is there already, and is to start no servers.
  bool starts = true;
  // Of which one, where it looks (sockets_to_see()); empty: of any.
  std::string socket;
  PeerCheck check = PeerCheck::by_kernel;
};

// Attaching was not possible, or not right. What is left of the session's last process comes back:
// whoever serves it now repairs it.
struct Alone {
  std::string why;
  std::optional<io::Woken> woken;
  int silent = 0;  // the id of a shared process that is there and does not answer; 0: none
};
// `waits` was false. The shared process speaks by the control socket.
struct Attached {
  io::Fd control;
  io::Fd memory;
  io::Fd staging;  // not open: none
};
// The session is over (only where no waiter could be started, else this process is another
// program).
struct Over {
  int exit_status = 0;
};
using FrontOutcome = std::variant<Alone, Attached, Over>;

// Blocks; to be called before a loop runs and before anything of the host was read.
FrontOutcome attach(FrontRequest request);

// Why attach() would say Alone, as far as it can be known without a word to the shared process.
// Starts nothing.
std::optional<std::string> why_alone(FrontRequest request);

// What keeps every session from sharing that is started as this process is, whatever its streams
// are. Looks at what attach() looks at, and starts nothing.
struct Obstacle {
  std::string why;
  std::string folder;  // where the socket stands; empty: it is our own rights
  std::string file;    // what has to go from there; empty: it is the folder itself
};
std::optional<Obstacle> obstacle_to(FrontRequest request);

}  // namespace pi_mcp::attach
