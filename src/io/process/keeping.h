// What a keeper does once its server runs. It is part of a program without a library
// (keeper_program.cc), which a keeper becomes, and of ours, for the time before, and where the
// system executes no files in memory.
#pragma once

#include <cstdint>

namespace pi_mcp::io {

// `control` is the keeper's end of the socket, `server` its child. SIGCHLD is blocked. Ends the
// process when the server and all its descendants are gone.
[[noreturn]] void keep_server(int control, int server);
// The same, but returns once nothing is to be done and nothing has happened for `quiet_ms`. Then
// any of the two may go on.
void keep_server_until_quiet(int control, int server, std::int64_t quiet_ms);

}  // namespace pi_mcp::io
