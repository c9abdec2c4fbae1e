// Where the C library finds hosts and users: in files of the machine and by DNS, whatever its
// nsswitch.conf says. Other sources are libraries that would have to be loaded into a program that
// has a C library of its own (docs/decisions/0067-one-file.md).
#pragma once

namespace pi_mcp::io {

// Has to be called before names of hosts, users or groups are looked up; again costs nothing.
void use_files_and_dns();

}  // namespace pi_mcp::io
