// Where the socket of the shared process stands, and what it is called there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/files/fd.h"
#include "io/process/process_limits.h"
#include "io/process/standing.h"

namespace pi_mcp::attach {

// Who meets under one name: one user, one folder of settings, one build, one standing, and the same
// hard limits: nobody can give its servers more than it has.
struct MeetingPlace {
  std::string agent_folder;
  std::string runtime_folder;  // $XDG_RUNTIME_DIR of the session; empty: none
};

struct SocketFolder {
  io::Fd folder;
  std::string path;  // for messages
};

// $XDG_RUNTIME_DIR/pi-mcp, else /run/user/UID/pi-mcp where that is ours, else <agentDir>/run. The
// same one whatever a host leaves out of the environment. io, invalid_argument: why it cannot be
// used.
Result<SocketFolder> open_socket_folder(const MeetingPlace& place);

std::string socket_folder_path(const MeetingPlace& place);

// Whether it is there already.
bool has_socket_folder(const MeetingPlace& place);

// The name of the socket of this build: of version and build id of the program that runs.
std::string socket_name(const std::string& agent_folder,
                        const io::Standing& standing,
                        const io::ProcessTraits& traits);
// The sockets there of those who differ from `name` by their limits alone, or whose own name was
// taken (name_beside()).
std::vector<std::string> sockets_beside(const io::Fd& folder, const std::string& name);

// The sockets of all shared processes that one with these traits may look into, also of those that
// it would not share. Starts nothing; somebody need not listen there.
std::vector<std::string> sockets_to_see(const MeetingPlace& place, const io::ProcessTraits& traits);

// The sockets of other builds of pi-mcp, of the same folder of settings and standing. Nobody need
// listen there.
std::vector<std::string> sockets_of_other_builds(const MeetingPlace& place);

// A name for one whose own was taken by another: sockets_beside() has it.
std::string name_beside(const std::string& name);

// Who starts a shared process, or ends one, holds this file beside all of them.
inline constexpr const char* lock_name = "lock";

}  // namespace pi_mcp::attach
