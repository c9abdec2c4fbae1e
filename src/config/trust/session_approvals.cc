#include "config/trust/session_approvals.h"

#include <algorithm>
#include <utility>

#include "config/raw.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view member_name = "sessions";

// The whole text, and in it the sessions: an object from ids to {"at", "approvals": [digest]}. The
// one that was last given an approval stands last.
struct Book {
  RawObject file;
  RawObject sessions;
};

Result<Book> read(std::string_view text) {
  if (text.empty()) {
    return Book{};
  }
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document) {
    return fail(document.error());
  }
  const json::Value sessions = document->root().find(member_name);
  if (!document->root().is_object() || (sessions && !sessions.is_object())) {
    return fail(ErrorCode::invalid_argument, "it is not an object, or \"sessions\" in it is none");
  }
  return Book{.file = RawObject::from(document->root()), .sessions = RawObject::from(sessions)};
}

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
  const Result<Book> book = read(text);
  if (!book) {
    return fail(book.error());
  }
  return digests_of(book->sessions.find(session));
}

Result<std::string> with_session_approval(std::string_view text, const SessionApproval& approval) {
  Result<Book> book = read(text);
  if (!book) {
    return fail(book.error());
  }
  std::vector<std::string> digests = digests_of(book->sessions.find(approval.session));
  if (std::ranges::count(digests, approval.digest) > 0) {
    return std::string(text);
  }
  if (digests.size() >= session_approvals_max) {
    return fail(ErrorCode::invalid_argument, "the session has too many approvals");
  }
  digests.push_back(approval.digest);
  (void)book->sessions.take(approval.session);  // it comes last again
  std::size_t excess = book->sessions.fields().size() -
                       std::min(book->sessions.fields().size(), kept_sessions_max - 1);
  book->sessions.erase_if([&](const RawField& session) {
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
  book->sessions.set(approval.session, entry.end_array().end_object().take());
  book->file.set(member_name, book->sessions.text());
  return json::pretty(parse_trusted(book->file.text()).root()) + "\n";
}

}  // namespace pi_mcp::config
