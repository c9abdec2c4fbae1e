#include "tool/tool_hints.h"

#include "json/document.h"

namespace pi_mcp::tool {

ToolHints read_hints(const SharedText& annotations) {
  if (annotations.empty()) {
    return {};
  }
  const Result<json::Document> document = json::Document::parse(annotations);
  const json::Value said = document ? document->root() : json::Value();
  const json::Value destroys = said.find("destructiveHint");
  const bool reads_only = said.find("readOnlyHint").bool_or(false);
  return {.reads_only = reads_only,
          .may_destroy = !reads_only && destroys.bool_or(true),
          .is_marked = !reads_only && destroys.bool_or(false)};
}

ToolHints hints_of(const catalog::CatalogTool& tool) {
  return tool.is_resource() ? resource_hints : read_hints(tool.annotations);
}

const ToolHints& HintMemo::hints(const SharedText& annotations) {
  static constexpr ToolHints silent;
  if (annotations.empty()) {
    return silent;
  }
  const auto known = entries_.find(annotations.view().data());
  if (known != entries_.end() && known->second.text.size() == annotations.size()) {
    return known->second.hints;
  }
  if (entries_.size() >= entries_max) {
    entries_.clear();
  }
  Entry entry{.text = annotations, .hints = read_hints(annotations)};
  return entries_.insert_or_assign(annotations.view().data(), std::move(entry)).first->second.hints;
}

}  // namespace pi_mcp::tool
