#include "cli/show/approval_lines.h"

#include "base/text.h"

namespace pi_mcp::cli {

std::string approval_lines(const std::vector<config::KeptApproval>& approvals) {
  std::string out;
  for (const config::KeptApproval& approval : approvals) {
    out += "allowed without a question: " + text::printable(approval.server) +
           (approval.tool.empty() ? ", every tool" : ", " + text::printable(approval.tool)) + "\n";
  }
  return out;
}

void write_approvals(json::Writer& out, const std::vector<config::KeptApproval>& approvals) {
  out.key("approvals").begin_array();
  for (const config::KeptApproval& approval : approvals) {
    out.begin_object().member("server", approval.server).member("tool", approval.tool);
    out.member("digest", approval.digest).end_object();
  }
  out.end_array();
}

}  // namespace pi_mcp::cli
