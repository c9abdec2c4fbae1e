// What a person reads about a start that failed, and of what a child has written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// Three lines of what a child has written that say something, joined by " | ": first the one that
// says what went wrong, where one can be told from the rest (what npm refused, a panic, an
// exception), then the last ones. Stack frames and runtime banners are passed over when there is
// anything else. Empty when there is nothing.
std::string stderr_summary(std::string_view tail);

// Adds to the reason for which a start failed what else is known: stderr so far, lines on
// stdout that were no messages, and the link's own `advice`.
std::string start_failure_text(std::string reason,
                               const transport::LinkEnd& so_far,
                               const transport::LinkCounters& counters,
                               const std::string& advice = {});
// The error with counters and advice of this link.
Error link_failure(const Error& error,
                   const transport::LinkEnd& so_far,
                   const transport::Transport& link);

}  // namespace pi_mcp::servers
