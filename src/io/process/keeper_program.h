// The program that a keeper becomes, as it is in memory. Its source is keeper_program.cc, which has
// no library; the build links it on its own and puts its bytes into ours.
#pragma once

#include <string_view>

namespace pi_mcp::io {

std::string_view keeper_program();

}  // namespace pi_mcp::io
