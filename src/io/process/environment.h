// The environment this process was started in. Read once at the start by cli/; everything below is
// handed what belongs to its session.
#pragma once

#include <map>
#include <string>

namespace pi_mcp::io {

// Entries without "=" are left out.
std::map<std::string, std::string> process_environment();

// Absolute; $PWD when that names the same folder, so that links stay as the user wrote them. "/"
// when the folder was deleted.
std::string working_directory();

// $HOME, or what the user database says; "/" when neither knows.
std::string home_directory();

}  // namespace pi_mcp::io
