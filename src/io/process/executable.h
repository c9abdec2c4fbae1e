// Finds the program that a command names, as its server would find it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace pi_mcp::io {

// A name without slash is looked up in PATH of `environment`, anything else is a path; both
// relative to `folder`, the working directory the program will have. The error says what was looked
// at and what is wrong: not_found (no such file), invalid_argument (a folder, not executable, no
// command).
Result<std::string> find_executable(const std::string& command,
                                    const std::map<std::string, std::string>& environment,
                                    const std::string& folder);

// Why the system would not run a file that was found; `error_number` is what exec said.
std::string exec_failure(const std::string& path, int error_number);

// Texts as exec wants them: pointers into `texts`, and a null at the end.
std::vector<char*> exec_pointers(std::vector<std::string>& texts);
// "NAME=VALUE" for each variable.
std::vector<std::string> exec_variables(const std::map<std::string, std::string>& environment);

}  // namespace pi_mcp::io
