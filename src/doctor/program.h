// The program of a server as a path, seen from this shell and from a desktop. Reads folders.
#pragma once

#include <string>

#include "config/environment.h"
#include "config/settings.h"
#include "doctor/facts.h"

namespace pi_mcp::doctor {

// `server` has a command, all variables of which are set.
ProgramFacts look_for_program(const config::Server& server, const config::Environment& environment);

// PATH of programs that no shell has started.
std::string desktop_path(const config::Environment& environment);

}  // namespace pi_mcp::doctor
