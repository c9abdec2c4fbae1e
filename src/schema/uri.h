// URI references inside schemas: just enough of RFC 3986 to resolve $id and $ref. Any text is
// accepted, since a sloppy $id must not make a tool unusable. Pure: no I/O, no clock.
#pragma once

#include <string>
#include <string_view>

namespace pi_mcp::schema {

struct SplitUri {
  std::string_view document;  // without '#'
  std::string_view fragment;
};
SplitUri split_fragment(std::string_view uri);

// `reference` seen from `base` (RFC 3986 section 5.2). Neither may have a fragment.
std::string resolve_uri(std::string_view base, std::string_view reference);

}  // namespace pi_mcp::schema
