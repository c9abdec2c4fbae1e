// How a program of ours that serves a host comes to the process that all sessions share, or learns
// that it has to serve the host itself.
#pragma once

#include <cstdint>
#include <optional>

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
  io::Fd control;  // to be kept open as long as the session is wanted
  io::Fd socket;   // connected with the session
};
// servers: it uses some. look: it sees or ends what is there, for which no process is started, and
// whose own servers would run alone may do that too.
enum class ShellWish : std::uint8_t { servers, look };
// nullopt: the command has to do it itself, for the same reasons, and in CI; look: there is no
// shared process that it could ask. Blocks.
std::optional<ShellSession> share_shell(const Setup& setup, ShellWish wish = ShellWish::servers);

}  // namespace pi_mcp::cli
