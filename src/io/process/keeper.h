// The keeper: a small process between us and one server. It is the server's parent and the one to
// whom the server's orphans fall, so it can end all of them, whatever happens to us
// (docs/decisions/0002-supervision.md).
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/process_traits.h"

namespace pi_mcp::io {

// Its name in lists of processes; the kernel keeps 15 bytes.
inline constexpr const char* keeper_name = "pi-mcp-keeper";

// What the keeper reports: whole structs on a SOCK_SEQPACKET socket, `started` or `failed` first.
// The end of the stream says that the server and everything it started is gone.
struct KeeperReport {
  enum class Kind : std::int32_t {
    started,    // `process` runs
    no_folder,  // the working directory cannot be entered; `value` is the errno
    no_traits,  // it cannot be bound as it is to be; `value` is the errno
    no_start,   // the system did not run the program; `value` is the errno
    exited,     // the server is gone; `value` is what waitpid() says. Its orphans are being ended
  };
  Kind kind;
  pid_t process;
  std::int32_t value;
};

// What the keeper is told: single bytes. The end of the stream (we are gone) makes it end
// everything.
enum class KeeperOrder : char {
  terminate = 't',  // SIGTERM to the server's process group
  kill = 'k',       // SIGKILL to the server and all its descendants until none is left
};

// Everything is prepared by the caller, since the keeper must not allocate: it begins as a copy of
// a process that may have had other threads.
struct KeeperJob {
  const char* path;             // of the program
  char* const* arguments;       // argv, with its null
  char* const* environment;     // envp, with its null
  const char* folder;           // working directory
  const ProcessTraits* traits;  // null: as the keeper
  bool background;              // with the lowest priority
  bool drops_memory;            // see can_drop_allocated_memory()
  int input;                    // become the server's stdin, stdout, stderr; all above 2
  int output;
  int errors;
  int control;  // our end of the socket; above 2
  int program;  // light_keeper(); above 2, or negative
};

// What keepers become once their server runs, as a file that the processes above them hold open;
// negative where the system makes none that can be executed. Not to be closed.
int light_keeper();

// Called in a new child process; ends it when nothing is left to keep.
[[noreturn]] void keep(const KeeperJob& job);

}  // namespace pi_mcp::io
