// The program that a waiter is, as it is in memory. Its source is waiter_program.cc, which has no
// library; the build links it on its own and puts its bytes into ours.
#pragma once

#include <string_view>

namespace pi_mcp::io {

// What both agree on: a variable in front of its environment, with numbers of so many digits
// between commas (WakeText in io/process/waiter.h). It writes into their places, so all have the
// same width.
inline constexpr const char* wake_variable = "PI_MCP_WOKEN";
inline constexpr int wake_digits = 12;
inline constexpr int wake_numbers = 6;
enum class WakeNumber { control, memory, staging, program, died, died_before };

std::string_view waiter_program();

}  // namespace pi_mcp::io
