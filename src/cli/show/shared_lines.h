// What people see of the process that sessions share. Pure.
#pragma once

#include <string>
#include <vector>

#include "servers/share/parting.h"
#include "tool/sharing/shared_view.h"

namespace pi_mcp::cli {

// Who shares it, for how long, and what each uses.
std::string sessions_text(const tool::SharedView& view);

// That a shared process is there and does not answer, and what can be done.
std::string silent_text(int process);

// That a process of another build is there, which this one cannot ask, and what can be done.
std::string other_build_text(int process);

// All of it, below a table of servers. `obstacle`: why sessions that are started like this command
// do not share, though they want to; empty: nothing keeps them from it.
std::string sharing_text(const std::vector<tool::SharedView>& views,
                         const std::vector<int>& silent,
                         const std::vector<int>& of_other_builds,
                         const std::string& obstacle);

// The copies of each process. What runs in several of them is there more than once as well, parted
// by the hard limits by which the processes differ.
std::vector<servers::Copies> all_copies(const std::vector<tool::SharedView>& views);

// Why a server runs more than once, and what to write so that it does not, in lines.
std::vector<std::string> copies_lines(const servers::Copies& copies);

}  // namespace pi_mcp::cli
