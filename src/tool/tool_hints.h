// What a server says of the effects of a tool (MCP 2025-11-25, ToolAnnotations), read once. Pure.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/shared_text.h"
#include "catalog/catalog.h"

namespace pi_mcp::tool {

struct ToolHints {
  bool reads_only = false;  // readOnlyHint: true
  bool may_destroy = true;  // it says neither that it only reads nor that it does not destroy
  bool is_marked = false;   // destructiveHint: true, and it does not say that it only reads
};

// Reads `annotations`, JSON; an empty or broken text gives the hints of a tool that says nothing.
ToolHints read_hints(const SharedText& annotations);

// A resource only reads, whatever it says.
constexpr ToolHints resource_hints{.reads_only = true, .may_destroy = false, .is_marked = false};

ToolHints hints_of(const catalog::CatalogTool& tool);

// Hints of the tools that were called, so that a call does not parse annotations.
class HintMemo {
 public:
  // The reference is valid until the next call.
  const ToolHints& hints(const SharedText& annotations);

 private:
  // More tools than a session calls; then the memo begins again.
  static constexpr std::size_t entries_max = 1024;

  struct Entry {
    SharedText text;  // kept, so that no other text gets its address
    ToolHints hints;
  };
  std::unordered_map<const char*, Entry> entries_;  // by the address of the text
};

}  // namespace pi_mcp::tool
