#include "config/trust/approval_store.h"

#include <utility>

#include "config/raw.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view member_name = "approvals";

// The whole text, and in it the approvals: an object from digests to {"server", "tool"}.
struct Book {
  RawObject file;
  RawObject approvals;
};

Result<Book> read(std::string_view text) {
  if (text.empty()) {
    return Book{};
  }
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document) {
    return fail(document.error());
  }
  if (!document->root().is_object()) {
    return fail(ErrorCode::invalid_argument, "it is not a JSON object");
  }
  const json::Value approvals = document->root().find(member_name);
  if (approvals && !approvals.is_object()) {
    return fail(ErrorCode::invalid_argument,
                "\"" + std::string(member_name) + "\" in it is not an object");
  }
  return Book{.file = RawObject::from(document->root()), .approvals = RawObject::from(approvals)};
}

// False for something else that stands there.
bool read_approval(const RawField& field, KeptApproval& approval) {
  approval.digest = field.key;
  approval.server = field.value().find("server").string_or("");
  approval.tool = field.value().find("tool").string_or("");
  return !approval.server.empty();
}

std::string written(Book book) {
  book.file.set(member_name, book.approvals.text());
  const json::Document document = parse_trusted(book.file.text());
  return json::pretty(document.root()) + "\n";
}

}  // namespace

Result<std::vector<KeptApproval>> kept_approvals(std::string_view text) {
  Result<Book> book = read(text);
  if (!book) {
    return fail(book.error());
  }
  std::vector<KeptApproval> kept;
  for (const RawField& field : book->approvals.fields()) {
    KeptApproval approval;
    if (read_approval(field, approval)) {
      kept.push_back(std::move(approval));
    }
  }
  return kept;
}

Result<std::string> with_approval(std::string_view text, const KeptApproval& approval) {
  Result<Book> book = read(text);
  if (!book) {
    return fail(book.error());
  }
  if (book->approvals.find(approval.digest)) {
    return std::string(text);
  }
  if (book->approvals.fields().size() >= kept_approvals_max) {
    return fail(ErrorCode::invalid_argument,
                "it has " + std::to_string(kept_approvals_max) + " approvals already");
  }
  json::Writer entry;
  entry.begin_object().member("server", approval.server);
  if (!approval.tool.empty()) {
    entry.member("tool", approval.tool);
  }
  book->approvals.set(approval.digest, entry.end_object().take());
  return written(*std::move(book));
}

Result<std::string> without_approvals(std::string_view text, const ApprovalFilter& is_revoked) {
  Result<Book> book = read(text);
  if (!book) {
    return fail(book.error());
  }
  RawObject left;
  for (const RawField& field : book->approvals.fields()) {
    KeptApproval approval;
    if (!read_approval(field, approval) || !is_revoked(approval)) {
      left.set(field);
    }
  }
  if (left.fields().size() == book->approvals.fields().size()) {
    return std::string(text);
  }
  book->approvals = std::move(left);
  return written(*std::move(book));
}

}  // namespace pi_mcp::config
