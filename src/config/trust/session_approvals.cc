#include "config/trust/session_approvals.h"

#include <algorithm>
#include <utility>

#include "config/trust/trust_book.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// An object from ids to {"at", "approvals": [digest]}. The session that was last given an approval
// stands last.
constexpr std::string_view member_name = "sessions";

std::vector<std::string> digests_of(json::Value session) {
  std::vector<std::string> digests;
  const json::Value kept = session.find("approvals");
  digests.reserve(kept.size());
  for (const json::Value digest : kept.elements()) {
    digests.push_back(digest.string_or(""));
  }
  return digests;
}

bool is_old(const RawField& session, EpochMs now) {
  return now.value - session.value().find("at").as_int().value_or(0) > session_kept_for.count();
}

}  // namespace

Result<std::vector<std::string>> session_approvals(std::string_view text,
                                                   std::string_view session) {
  const Result<TrustBook> book = TrustBook::read(text, member_name);
  if (!book) {
    return fail(book.error());
  }
  return digests_of(book->entries.find(session));
}

Result<std::string> with_session_approval(std::string_view text, const SessionApproval& approval) {
  Result<TrustBook> book = TrustBook::read(text, member_name);
  if (!book) {
    return fail(book.error());
  }
  std::vector<std::string> digests = digests_of(book->entries.find(approval.session));
  if (std::ranges::count(digests, approval.digest) > 0) {
    return std::string(text);
  }
  if (digests.size() >= session_approvals_max) {
    return fail(ErrorCode::invalid_argument, "the session has too many approvals");
  }
  digests.push_back(approval.digest);
  (void)book->entries.take(approval.session);  // it comes last again
  std::size_t excess = book->entries.fields().size() -
                       std::min(book->entries.fields().size(), kept_sessions_max - 1);
  book->entries.erase_if([&](const RawField& session) {
    const bool is_beyond = excess > 0;
    excess -= is_beyond ? 1 : 0;
    return is_beyond || is_old(session, approval.at);
  });
  json::Writer entry;
  entry.begin_object().member("at", approval.at.value);
  entry.key("approvals").begin_array();
  for (const std::string& digest : digests) {
    entry.string(digest);
  }
  book->entries.set(approval.session, entry.end_array().end_object().take());
  return book->text();
}

}  // namespace pi_mcp::config
