// One server's entry in the metadata cache, read and written. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "catalog/cache.h"
#include "json/document.h"

namespace pi_mcp::catalog {

// Entries nest at most this deep; deeper ones are not known. Servers' messages have the same limit.
constexpr std::uint32_t cache_entry_depth_max = 512;

// Items without a name, resources without a uri and fields of a wrong type are left out.
// `entry_document` holds one entry; schemas stay pieces of its text. See CacheSnapshot::find().
CacheEntry decode_entry(const json::Document& entry_document,
                        std::string_view declared,
                        EntryPart part);

// The key of our own hash where `configHash` is the adapter's.
constexpr std::string_view own_hash_key = "identityHash";

// Who is known to read the file besides us.
enum class CacheReaders : std::uint8_t {
  any,
  adapter,  // programs that know only the adapter's hash
};

// Whether this is the entry of a definition with this hash, whichever of its hashes that is.
bool has_hash(json::Value entry, std::string_view hash);

// The entry as compact JSON. `old` is the entry that it replaces, or absent: of the same definition
// its resources and prompts are kept where there are no fresh ones, and so are keys that we do not
// know, and what the server listed to hosts that declare something else. A schema that is not JSON,
// or nests so deep that the entry could not be read again, is left out. `file`: who reads it.
std::string encode_entry(const CacheEntry& entry, json::Value old, CacheReaders file);

// True when `old` says the same as `entry` and is so young that writing it again would be waste.
bool is_current(const CacheEntry& entry, json::Value old, CacheReaders file);

}  // namespace pi_mcp::catalog
