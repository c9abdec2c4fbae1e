// How a program of ours that serves a host comes to the process that all sessions share, or learns
// that it has to serve the host itself.
#pragma once

#include <optional>
#include <vector>

#include "attach/front.h"
#include "cli/setup.h"
#include "cli/show/exit_status.h"
#include "io/files/fd.h"
#include "io/process/waiter.h"

namespace pi_mcp::cli {

struct Shared {
  // The session is over: this process has nothing more to do. nullopt: it serves the host itself.
  std::optional<ExitStatus> over;
  // Then: what a shared process that has died left of the session.
  std::optional<io::Woken> woken;
};

// Hands the host on stdin and stdout to the shared process, where nobody wants otherwise. Usually
// does not return: this process becomes the waiter (io/process/waiter.h). Blocks; before anything
// of the host was read. Says at level info why the host is served alone. What a waiter has left in
// the environment is taken out of it.
Shared share_host(Setup& setup);

// A session in the shared process for a command of ours, which speaks MCP over a socket.
struct ShellSession {
  io::Fd control;      // to be kept open as long as the session is wanted
  io::Fd socket;       // connected with the session
  int process_id = 0;  // of the shared process
};
// nullopt: the command has to do it itself, for the same reasons, and in CI. Blocks.
std::optional<ShellSession> share_shell(const Setup& setup);

// What keeps sessions from sharing that are started as this command was, though they want to.
std::optional<attach::Obstacle> obstacle_to_sharing(const Setup& setup,
                                                    const config::Settings& settings);

// What a command finds that only sees or ends what is there.
struct SharedProcesses {
  std::vector<ShellSession> sessions;  // one in each shared process of ours that answers
  std::vector<int> silent;             // the ids of those that do not
  std::vector<int> of_other_builds;    // the ids of those of other builds, which cannot be asked
};
// Starts none; who would have servers of its own may look too. Blocks.
SharedProcesses look_for_shared(const Setup& setup);

}  // namespace pi_mcp::cli
