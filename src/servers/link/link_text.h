// What a person reads about a start that failed, and of what a child has written. Pure.
#pragma once

#include <string>
#include <string_view>

#include "transport/transport.h"

namespace pi_mcp::servers {

// The last three lines of a child's stderr that say something, joined by " | ": stack frames and
// runtime banners are passed over when there is anything else. Empty when there is nothing.
std::string stderr_summary(std::string_view tail);

// Adds to the reason for which a start failed what else is known: stderr so far, lines on
// stdout that were no messages, and the link's own `advice`.
std::string start_failure_text(std::string reason,
                               const transport::LinkEnd& so_far,
                               const transport::LinkCounters& counters,
                               const std::string& advice = {});
// The same with counters and advice of this link.
std::string link_failure_text(std::string reason,
                              const transport::LinkEnd& so_far,
                              const transport::Transport& link);

}  // namespace pi_mcp::servers
