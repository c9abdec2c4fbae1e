#include "gateway/schema_memo.h"

namespace pi_mcp::gateway {

const json::Schema& SchemaMemo::compiled(const SharedText& text) {
  const auto known = entries_.find(text.view().data());
  if (known != entries_.end() && known->second.text.size() == text.size()) {
    return known->second.schema;
  }
  if (entries_.size() >= entries_max) {
    entries_.clear();
  }
  Entry entry{.text = text, .schema = {}};
  if (const Result<json::Document> document = json::Document::parse(text)) {
    if (Result<json::Schema> schema = json::Schema::compile(document->root())) {
      entry.schema = *std::move(schema);
    }
  }
  return entries_.insert_or_assign(text.view().data(), std::move(entry)).first->second.schema;
}

}  // namespace pi_mcp::gateway
