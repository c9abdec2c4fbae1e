// What listens for other machines is the same program at an address of the kernel's choice, with
// relocations that are read-only once it runs: in a release a second file
// (docs/decisions/0010-fixed-address.md).
#pragma once

#include "base/result.h"

namespace pi_mcp::io {

constexpr const char* net_program_name = "pi-mcp-net";

// Whether this program is one. Builds with sanitizers and tests are.
[[nodiscard]] bool is_net_program();

// Becomes the one beside this program's own file, with the arguments and environment of this one,
// so it returns only why not. not_found: there is none; io_failed: the system does not execute it.
[[nodiscard]] Error become_net_program();

}  // namespace pi_mcp::io
