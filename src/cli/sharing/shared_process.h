// The process that all sessions of a user share: fronts hand it their hosts (attach/front.h), it
// serves them, and it ends when it has neither a session nor a server.
#pragma once

#include <string>
#include <vector>

#include "cli/show/console.h"
#include "cli/show/exit_status.h"
#include "config/settings.h"

namespace pi_mcp::cli {

// What a front starts: the words of the hidden command, before the socket's name.
std::vector<std::string> shared_process_words();

// Why a session with this configuration is to have a process of its own; empty: it may share.
std::string wants_alone(const config::Settings& settings);

// Is such a process; `name` is the socket's. Reads nothing of its own environment.
ExitStatus run_shared_process(Console& console, const std::string& name);

}  // namespace pi_mcp::cli
