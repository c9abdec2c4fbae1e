#include "tool/consent/stored_approvals.h"

#include <utility>

#include "base/log.h"
#include "config/trust/session_approvals.h"
#include "io/loop/clock.h"

namespace pi_mcp::tool {

void StoredApprovals::begin_session(std::string id) {
  session_ = std::move(id);
  digests_.clear();
  stamp_.reset();  // it is read again
}

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
  if (const auto own = config::session_approvals(*text, session_); own && !session_.empty()) {
    digests_.insert(own->begin(), own->end());
  }
}

bool StoredApprovals::store(const config::KeptApproval& approval) {
  return update([&](const std::string& text) { return config::with_approval(text, approval); },
                approval);
}

bool StoredApprovals::store_for_session(const config::KeptApproval& approval) {
  const config::SessionApproval kept{
      .session = session_, .digest = approval.digest, .at = io::epoch_now()};
  return !session_.empty() &&
         update([&](const std::string& text) { return config::with_session_approval(text, kept); },
                approval);
}

bool StoredApprovals::update(const TrustFile::Change& change,
                             const config::KeptApproval& approval) {
  const Result<void> written = file_.update(change);
  if (!written) {
    log::warning("the approval of " + approval.server +
                 (approval.tool.empty() ? "" : "'s " + approval.tool) +
                 " counts until pi-mcp ends: " + written.error().message());
  }
  return written.has_value();
}

}  // namespace pi_mcp::tool
