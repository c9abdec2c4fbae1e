#include "tool/schema_cache.h"

namespace pi_mcp::tool {

const schema::Schema& SchemaCache::compiled(const SharedText& text) {
  const auto known = entries_.find(text.view().data());
  if (known != entries_.end() && known->second.text.size() == text.size()) {
    return known->second.schema;
  }
  if (entries_.size() >= entries_max) {
    entries_.clear();
  }
  Entry entry{.text = text, .schema = {}};
  if (const Result<json::Document> document = json::Document::parse(text)) {
    if (Result<schema::Schema> schema = schema::Schema::compile(document->root())) {
      entry.schema = *std::move(schema);
    }
  }
  return entries_.insert_or_assign(text.view().data(), std::move(entry)).first->second.schema;
}

}  // namespace pi_mcp::tool
