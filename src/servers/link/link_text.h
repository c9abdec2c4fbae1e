// What a person reads about a link that ended or does not answer. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/time.h"
#include "transport/transport.h"

namespace pi_mcp::servers {

// The last three lines of a child's stderr that say something, joined by " | ": stack frames and
// runtime banners are passed over when there is anything else. Empty when there is nothing.
std::string stderr_summary(std::string_view tail);

// "250 ms", "60 s", "5 min", "1 h".
std::string duration_text(Duration duration);

// "exited with status 1 during initialize; stderr: Error: GITHUB_TOKEN is required". `when` is
// "during initialize" and the like.
std::string ended_text(const transport::LinkEnd& end, std::string_view when);

// A request that was not answered in time.
struct Overdue {
  std::string_view method;
  Duration limit;           // the one that passed
  bool total = false;       // although something was heard of it
  std::string preparation;  // what was still done before the server itself; empty: nothing
};
struct OverdueText {
  std::string reason;
  std::string advice;  // which setting gives it more time
};
OverdueText overdue_text(const Overdue& overdue);

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
