// Compiled input schemas of the tools that were called: compiling costs more than a call. Pure.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "base/shared_text.h"
#include "schema/schema.h"

namespace pi_mcp::tool {

class SchemaCache {
 public:
  // The compiled form of `text`, a tool's input schema. A text that is not a schema accepts
  // everything. The reference is valid until the next call.
  const schema::Schema& compiled(const SharedText& text);

 private:
  // More tools than a session calls; then the memo begins again.
  static constexpr std::size_t entries_max = 256;

  struct Entry {
    SharedText text;  // kept, so that no other schema gets its address
    schema::Schema schema;
  };
  std::unordered_map<const char*, Entry> entries_;  // by the address of the text
};

}  // namespace pi_mcp::tool
