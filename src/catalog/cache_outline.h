// Where the entries of a cache file are, found without reading what is in them: strings and
// brackets are skipped, not checked. It is several times faster than parsing, and it finds the
// whole entries of a file that is damaged elsewhere. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::catalog {

struct CacheOutline {
  struct Slot {
    std::string server;
    std::size_t offset = 0;  // of the entry's value in the text
    std::size_t length = 0;
    bool has_words = false;  // may have what EntryPart::words wants; none without
    std::string_view hash;   // the raw text of its `configHash`; empty: it has none
  };
  std::string_view version;  // the raw value; empty when there is none
  std::vector<Slot> slots;   // in file order; of equal names the last counts
};

// What can be found before the end of the text or the first thing that cannot be a cache.
CacheOutline outline_of(std::string_view text);

}  // namespace pi_mcp::catalog
