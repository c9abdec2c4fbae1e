#include "config/trust/trust_book.h"

#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::config {

Result<TrustBook> TrustBook::read(std::string_view text, std::string_view member) {
  if (text.empty()) {
    return TrustBook{.file = {}, .member = member, .entries = {}};
  }
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document) {
    return fail(document.error());
  }
  if (!document->root().is_object()) {
    return fail(ErrorCode::invalid_argument, "it is not a JSON object");
  }
  const json::Value entries = document->root().find(member);
  if (entries && !entries.is_object()) {
    return fail(ErrorCode::invalid_argument,
                "\"" + std::string(member) + "\" in it is not an object");
  }
  return TrustBook{.file = RawObject::from(document->root()),
                   .member = member,
                   .entries = RawObject::from(entries)};
}

std::string TrustBook::text() {
  file.set(member, entries.text());
  return json::pretty(parse_trusted(file.text()).root()) + "\n";
}

}  // namespace pi_mcp::config
