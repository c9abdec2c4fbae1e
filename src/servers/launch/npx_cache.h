// What is remembered of npx commands: <agentDir>/mcp-npx-cache.json, version 2, shared with the
// reference adapter.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "packages/npx_command.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {

// How long a tag, range or bare name means what it meant when it was looked up.
constexpr std::int64_t npx_check_after_ms = std::int64_t{24} * 60 * 60 * 1000;

struct NpxCacheEntry {
  std::string program;  // resolvedBin; empty: npx was run as written
  EpochMs resolved_at;  // when the registry was asked last; of an exact version: of no meaning
  std::string version;
  bool node_script = false;
  EpochMs retry_at{};  // before this nobody else need ask the registry
};

// A clock that was set back counts as much time.
[[nodiscard]] std::int64_t age_ms(EpochMs then, EpochMs now);

// nullopt when `text` is not a version-2 file or lacks the entry.
std::optional<NpxCacheEntry> npx_cache_entry(std::string_view text, std::string_view key);
// `text` with this entry added or replaced. Anything that is not a version-2 file is started anew.
std::string with_npx_cache_entry(std::string_view text,
                                 std::string_view key,
                                 const NpxCacheEntry& entry);

// The entry of one command in the file of one launch. A file that fails is only logged.
class NpxCache {
 public:
  NpxCache(const Launch& launch, const packages::NpxCommand& command);

  [[nodiscard]] std::optional<NpxCacheEntry> read() const;
  void write(const NpxCacheEntry& entry) const;
  // Takes the check of this entry for the caller until `until`. False: it is not due any more, or
  // another process has taken it.
  [[nodiscard]] bool claim(EpochMs now, EpochMs until) const;

 private:
  std::string path_;
  std::string key_;
};

}  // namespace pi_mcp::servers
