// How a waiter tells the front that it becomes again what it holds. Needs no other header: the
// waiter, which has no library, reads it too.
#pragma once

namespace pi_mcp::io {

// A variable in front of its environment, with numbers of so many digits between commas (WakeText
// in io/process/waiter.h). The waiter writes into their places, so all have the same width.
inline constexpr const char* wake_variable = "PI_MCP_WOKEN";
inline constexpr int wake_digits = 12;
inline constexpr int wake_numbers = 6;
enum class WakeNumber { control, memory, staging, program, died, died_before };

}  // namespace pi_mcp::io
