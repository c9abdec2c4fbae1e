#include "tool/consent/stored_approvals.h"

#include "base/log.h"

namespace pi_mcp::tool {

bool StoredApprovals::has(const std::string& digest) {
  refresh();
  return digests_.contains(digest);
}

void StoredApprovals::refresh() {
  const std::optional<io::FileStamp> stamp = io::stamp_of(file_.path());  // read first
  if (stamp == stamp_) {
    return;
  }
  stamp_ = stamp;  // a change while it is read is seen the next time
  digests_.clear();
  const Result<std::string> text = file_.read();
  const Result<std::vector<config::KeptApproval>> stored =
      text ? config::kept_approvals(*text)
           : Result<std::vector<config::KeptApproval>>(tl::unexpected<Error>(text.error()));
  if (!stored) {
    log::warning("approvals of " + file_.path() + " are not used: " + stored.error().message());
    return;
  }
  for (const config::KeptApproval& approval : *stored) {
    digests_.insert(approval.digest);
  }
}

bool StoredApprovals::store(const config::KeptApproval& approval) {
  const Result<void> written = file_.update(
      [&approval](const std::string& text) { return config::with_approval(text, approval); });
  if (!written) {
    log::warning("the approval of " + approval.server +
                 (approval.tool.empty() ? "" : "'s " + approval.tool) +
                 " counts for this session only: " + written.error().message());
  }
  return written.has_value();
}

}  // namespace pi_mcp::tool
