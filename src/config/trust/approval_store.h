// What the user allowed for good: the member "approvals" of mcp-trust.json, text in and text out.
// Whatever else the text has stays as it was. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::config {

// Nobody is asked so often; more are refused.
constexpr std::size_t kept_approvals_max = 1'000;

struct KeptApproval {
  std::string digest;  // of what was shown to the user; says which one it is
  std::string server;  // its configured name
  std::string tool;    // the server's own name; empty: every tool of the server

  bool operator==(const KeptApproval&) const = default;
};

// All of these: `text` is one JSON object, or empty for a file that does not exist yet;
// invalid_argument for any other text.

// In the order in which they were given. Entries that are not approvals are left out.
Result<std::vector<KeptApproval>> kept_approvals(std::string_view text);

// The text with this one; the same text when it has it already.
Result<std::string> with_approval(std::string_view text, const KeptApproval& approval);

// The text without those that `is_revoked` accepts; the same text when it accepts none.
using ApprovalFilter = std::function<bool(const KeptApproval&)>;
Result<std::string> without_approvals(std::string_view text, const ApprovalFilter& is_revoked);

}  // namespace pi_mcp::config
