// Any bytes as a cache file: reading them is safe, and writing an entry gives a file that is JSON,
// holds the entry, and has lost no entry that could be read before.
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include "catalog/cache.h"
#include "catalog/cache_outline.h"
#include "json/document.h"

namespace {

using pi_mcp::EpochMs;
using pi_mcp::SharedText;
using pi_mcp::catalog::CacheEntry;
using pi_mcp::catalog::CacheSnapshot;
using pi_mcp::catalog::CacheUpdate;

constexpr EpochMs now{1'800'000'000'000};
constexpr std::string_view server = "added";
constexpr std::string_view hash = "0123";

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// The fuzzed bytes serve as the texts of the new entry too.
CacheEntry entry_of(std::string_view text) {
  CacheEntry entry;
  entry.identity.own = hash;
  entry.cached_at = now;
  entry.listing.instructions = text;
  pi_mcp::mcp::Tool& tool = entry.listing.tools.emplace_back();
  tool.name = "t";
  tool.description = text;
  tool.input_schema = SharedText(std::string(text));
  return entry;
}

void require_json(std::string_view text) {
  pi_mcp::json::ParseOptions options;
  options.depth_max = std::numeric_limits<std::uint32_t>::max();
  require(pi_mcp::json::Document::parse_view(text, options).has_value());
}

// Entries of other servers that can be read from `before` can be read from `after` as well.
void require_kept(std::string_view before, std::string_view after) {
  const CacheSnapshot old_cache = CacheSnapshot::parse(SharedText(std::string(before)));
  const CacheSnapshot new_cache = CacheSnapshot::parse(SharedText(std::string(after)));
  for (const auto& slot : pi_mcp::catalog::outline_of(before).slots) {
    const auto value = pi_mcp::json::Document::parse_view(before.substr(slot.offset, slot.length));
    if (!value || slot.server == server) {
      continue;
    }
    const std::string old_hash = value->root().find("configHash").string_or("");
    if (const auto old_entry = old_cache.find(slot.server, old_hash, now)) {
      const auto new_entry = new_cache.find(slot.server, old_hash, now);
      require(new_entry && new_entry->listing.tools.size() == old_entry->listing.tools.size());
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const CacheUpdate update = pi_mcp::catalog::with_entries(
      text, {{.server = std::string(server), .entry = entry_of(text)}});
  if (update.outcome != CacheUpdate::Outcome::changed) {
    return 0;
  }
  require_json(update.text);
  const auto found = CacheSnapshot::parse(SharedText(update.text)).find(server, hash, now);
  require(found && found->listing.tools.size() == 1 && found->listing.tools[0].name == "t");
  require_kept(text, update.text);
  // Writing the same again changes nothing.
  const CacheUpdate again = pi_mcp::catalog::with_entries(
      update.text, {{.server = std::string(server), .entry = entry_of(text)}});
  require(again.outcome == CacheUpdate::Outcome::unchanged);
  return 0;
}
