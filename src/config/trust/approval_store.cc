#include "config/trust/approval_store.h"

#include <utility>

#include "config/trust/trust_book.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// An object from digests to {"server", "tool"}.
constexpr std::string_view member_name = "approvals";

// False for something else that stands there.
bool read_approval(const RawField& field, KeptApproval& approval) {
  approval.digest = field.key;
  approval.server = field.value().find("server").string_or("");
  approval.tool = field.value().find("tool").string_or("");
  return !approval.server.empty();
}

}  // namespace

Result<std::vector<KeptApproval>> kept_approvals(std::string_view text) {
  Result<TrustBook> book = TrustBook::read(text, member_name);
  if (!book) {
    return fail(book.error());
  }
  std::vector<KeptApproval> kept;
  for (const RawField& field : book->entries.fields()) {
    KeptApproval approval;
    if (read_approval(field, approval)) {
      kept.push_back(std::move(approval));
    }
  }
  return kept;
}

Result<std::string> with_approval(std::string_view text, const KeptApproval& approval) {
  Result<TrustBook> book = TrustBook::read(text, member_name);
  if (!book) {
    return fail(book.error());
  }
  if (book->entries.find(approval.digest)) {
    return std::string(text);
  }
  if (book->entries.fields().size() >= kept_approvals_max) {
    return fail(ErrorCode::invalid_argument,
                "it has " + std::to_string(kept_approvals_max) + " approvals already");
  }
  json::Writer entry;
  entry.begin_object().member("server", approval.server);
  if (!approval.tool.empty()) {
    entry.member("tool", approval.tool);
  }
  book->entries.set(approval.digest, entry.end_object().take());
  return book->text();
}

Result<std::string> without_approvals(std::string_view text, const ApprovalFilter& is_revoked) {
  Result<TrustBook> book = TrustBook::read(text, member_name);
  if (!book) {
    return fail(book.error());
  }
  RawObject left;
  for (const RawField& field : book->entries.fields()) {
    KeptApproval approval;
    if (!read_approval(field, approval) || !is_revoked(approval)) {
      left.set(field);
    }
  }
  if (left.fields().size() == book->entries.fields().size()) {
    return std::string(text);
  }
  book->entries = std::move(left);
  return book->text();
}

}  // namespace pi_mcp::config
