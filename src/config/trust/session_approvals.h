// What the user allowed for single sessions of a host that names them: the member "sessions" of
// mcp-trust.json, text in and text out. Whatever else the text has stays as it was. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace pi_mcp::config {

// Nobody is asked so often in one conversation; more are refused.
constexpr std::size_t session_approvals_max = 1'000;
// Sessions beyond this, and those without an approval for so long, are dropped, the oldest first.
constexpr std::size_t kept_sessions_max = 200;
constexpr Milliseconds session_kept_for = std::chrono::hours(30 * 24);

// Both: `text` is one JSON object, or empty for a file that does not exist yet; invalid_argument
// for any other text.

// The digests that were allowed for the session.
Result<std::vector<std::string>> session_approvals(std::string_view text, std::string_view session);

struct SessionApproval {
  std::string session;
  std::string digest;
  EpochMs at;
};
// The text with this one, and without the sessions that are too old.
Result<std::string> with_session_approval(std::string_view text, const SessionApproval& approval);

}  // namespace pi_mcp::config
