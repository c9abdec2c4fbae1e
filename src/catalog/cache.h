// The metadata cache: <agentDir>/mcp-cache.json, version 1, shared with other adapters on the same
// machine (docs/cache_format.md). Text in, text out here; cache_file.h does the reading and
// writing. Pure: no I/O, no clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_text.h"
#include "base/time.h"
#include "catalog/cache_outline.h"
#include "mcp/types.h"

namespace pi_mcp::catalog {

// What identifies a server's definition in the file (docs/decisions/0061-hash-of-the-adapter.md).
struct CacheIdentity {
  std::string own;      // config/identity.h
  std::string adapter;  // config/identity.h; empty: there is none
};

struct CacheEntry {
  CacheIdentity identity;
  // Programs that know only the adapter's hash look for this entry: `configHash` is that. In a file
  // with such an entry new ones are written so as well.
  bool for_adapter = false;
  EpochMs cached_at;
  mcp::Listing listing;
  // Whose lists they are where the server says that they are private: a digest (config/identity.h).
  std::string private_to;
  std::string declared;  // to the server, when it listed this (mcp::features_text())
  // What was seen of it that decides with whom it is shared, words of servers::seen_text(). Those
  // of `lasting_seen` stay once they were there.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string seen = {};
};

constexpr std::string_view lasting_seen = "asked roots";

// What is wanted of an entry.
enum class EntryPart : std::uint8_t {
  all,
  words,  // instructions and title of the server: a fraction of the work
};

// A larger entry is not known: what is read of a server is less (mcp::catalog_bytes_max), even
// where every byte takes two here.
constexpr std::size_t cache_entry_bytes_max = std::size_t{40} << 20U;
// Entries older than this are treated as not known.
constexpr std::int64_t cache_age_max_ms = std::int64_t{7} * 24 * 60 * 60 * 1000;
// An entry that says the same is not written again before it is this old: connecting a server must
// not cost a rewrite of the whole file.
constexpr std::int64_t cache_rewrite_age_ms = std::int64_t{60} * 60 * 1000;

// A cache file of which only the places of the entries are known. Entries are checked and decoded
// one at a time, when asked for: a session that uses three of a hundred servers pays for three.
class CacheSnapshot {
 public:
  CacheSnapshot() = default;  // knows nothing
  // Anything that is not a version-1 cache gives a snapshot that knows nothing: a cache is never an
  // error. Of a damaged file the entries that are whole are known.
  static CacheSnapshot parse(SharedText text);

  // False: find() gives nothing, whatever the hash, or for EntryPart::words nothing that says
  // anything. Parses nothing.
  [[nodiscard]] bool may_have(std::string_view server, EntryPart part) const;

  // The hash that its entry is found by, as it stands in the file; empty: it has none, or cannot be
  // read without parsing.
  [[nodiscard]] std::string_view hash_of(std::string_view server) const;

  // nullopt unless the server has an entry with this hash, whoever wrote it, that is at most 7 days
  // old. Of a server that has listed different things to hosts of different abilities: what it
  // listed to one that declares `declared`, or else to the ablest that declares less.
  [[nodiscard]] std::optional<CacheEntry> find(std::string_view server,
                                               std::string_view hash,
                                               EpochMs now,
                                               std::string_view declared = {},
                                               EntryPart part = EntryPart::all) const;

 private:
  [[nodiscard]] const CacheOutline::Slot* slot(std::string_view server) const;

  SharedText text_;
  std::vector<CacheOutline::Slot> slots_;
};

struct NamedEntry {
  std::string server;
  CacheEntry entry;
};

struct CacheUpdate {
  enum class Outcome : std::uint8_t {
    changed,
    unchanged,      // the old text says the same and is younger than cache_rewrite_age_ms
    newer_version,  // not ours to write: a later program keeps something else in this file
  };
  Outcome outcome = Outcome::unchanged;
  std::string text;  // changed only
};

// `old_text` (a cache file, or anything else) with the entries of some servers replaced; all other
// entries and all unknown keys stay byte for byte. Where a fresh offer has no resources or no
// prompts and the old entry has the same hash, the old ones are kept (listing them may have failed
// for a moment). Of a damaged file the whole entries are kept; other text is replaced.
CacheUpdate with_entries(std::string_view old_text, const std::vector<NamedEntry>& entries);

struct NamedIdentity {
  std::string server;
  CacheIdentity identity;
};

// `old_text` with those entries that have our own hash found by the adapter's; nothing else of them
// changes.
CacheUpdate with_adapter_hashes(std::string_view old_text,
                                const std::vector<NamedIdentity>& identities);

}  // namespace pi_mcp::catalog
