// Starts what npx would start, without the npm process that would stay beside it (some 100 MB).
#pragma once

#include <string_view>

#include "base/time.h"
#include "json/document.h"
#include "servers/launch.h"
#include "servers/npm_cache.h"

namespace pi_mcp::servers {

// The launch with its npx or npm exec command replaced by the installed program; unchanged when the
// package is not installed, or on any doubt (npm_cache.h). Tags, ranges and bare names go through
// npx once a day, so that it can update them: when that was is kept in
// <agentDir>/mcp-npx-cache.json. Reads and writes small files; that file failing is only logged.
Launch without_npm(Launch launch, EpochMs now);

// One entry of mcp-npx-cache.json (version 2, shared with the reference adapter).
struct NpxCacheEntry {
  std::string program;  // resolvedBin; empty: npx was run as written
  EpochMs resolved_at;
  std::string version;
  bool node_script = false;
};

// nullopt when `text` is no version-2 file or has no such entry.
std::optional<NpxCacheEntry> npx_cache_entry(std::string_view text, std::string_view key);
// `text` with this entry added or replaced. Anything that is not a version-2 file is started anew.
std::string with_npx_cache_entry(std::string_view text,
                                 std::string_view key,
                                 const NpxCacheEntry& entry);

}  // namespace pi_mcp::servers
