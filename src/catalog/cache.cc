#include "catalog/cache.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "catalog/cache_entry.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::catalog {
namespace {

enum class Version : std::uint8_t { ours, newer, none };

Version version_of(json::Value value) {
  if (value.as_int() == 1) {
    return Version::ours;
  }
  const bool larger = value.as_double().value_or(0) > 1;
  return larger || value.is_string() ? Version::newer : Version::none;
}

Version version_of(std::string_view raw) {
  const Result<json::Document> document = json::Document::parse_view(raw);
  return document ? version_of(document->root()) : Version::none;
}

// The whole file. Depth costs only memory here, and other adapters have no limit.
Result<json::Document> parse_file(std::string_view text) {
  json::ParseOptions options;
  options.depth_max = std::numeric_limits<std::uint32_t>::max();
  return json::Document::parse_view(text, options);
}

Result<json::Document> parse_entry(SharedText text) {
  json::ParseOptions options;
  options.depth_max = cache_entry_depth_max;
  return json::Document::parse(std::move(text), options);
}

bool is_valid_at(const CacheEntry& entry, EpochMs now) {
  if (entry.cached_at.value == 0) {
    return false;
  }
  const double age = static_cast<double>(now.value) - static_cast<double>(entry.cached_at.value);
  // A time far in the future comes from a clock that was wrong; it must not be valid for ever.
  const auto age_max = static_cast<double>(cache_age_max_ms);
  return age <= age_max && age >= -age_max;
}

// Text put in place of a piece of the old text; an empty piece is an insertion.
struct Edit {
  std::size_t offset;
  std::size_t length;
  std::string text;
};

std::string apply(std::string_view old_text, std::vector<Edit> edits) {
  std::sort(
      edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  std::string text;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    text += old_text.substr(done, edit.offset - done);
    text += edit.text;
    done = edit.offset + edit.length;
  }
  text += old_text.substr(done);
  return text;
}

void append_member(std::string& members, std::string_view key, std::string_view value) {
  members += members.empty() ? "" : ",";
  json::append_quoted(members, key);
  members += ':';
  members += value;
}

std::string file_text(std::string_view members) {
  return R"({"version":1,"servers":{)" + std::string(members) + "}}\n";
}

// The last of several entries for the same server counts.
bool is_superseded(const std::vector<NamedEntry>& entries, std::size_t position) {
  return std::any_of(
      entries.begin() + static_cast<std::ptrdiff_t>(position) + 1,
      entries.end(),
      [&](const NamedEntry& later) { return later.server == entries[position].server; });
}

std::string members_of(const std::vector<NamedEntry>& entries) {
  std::string members;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!is_superseded(entries, i)) {
      const std::string text = encode_entry(entries[i].entry, {}, CacheReaders::any);
      append_member(members, entries[i].server, text);
    }
  }
  return members;
}

// The entries of a version-1 file that cannot be parsed as a whole, then ours.
std::string rescued(std::string_view old_text,
                    const CacheOutline& outline,
                    const std::vector<NamedEntry>& entries) {
  std::string members;
  for (const CacheOutline::Slot& slot : outline.slots) {
    const bool replaced =
        std::any_of(entries.begin(), entries.end(), [&slot](const NamedEntry& entry) {
          return entry.server == slot.server;
        });
    const std::string_view value = old_text.substr(slot.offset, slot.length);
    const Result<json::Document> document = parse_file(value);
    if (!replaced && document && document->root().is_object()) {
      append_member(members, slot.server, value);
    }
  }
  const std::string ours = members_of(entries);
  members += members.empty() || ours.empty() ? "" : ",";
  return file_text(members + ours);
}

std::string replaced(std::string_view old_text,
                     const CacheOutline& outline,
                     const std::vector<NamedEntry>& entries) {
  return version_of(outline.version) == Version::ours ? rescued(old_text, outline, entries)
                                                      : file_text(members_of(entries));
}

Edit replacement(json::Value value, std::string text) {
  return {.offset = value.offset(), .length = value.raw().size(), .text = std::move(text)};
}

CacheUpdate changed(std::string text) {
  return {.outcome = CacheUpdate::Outcome::changed, .text = std::move(text)};
}

// Puts members that are new to an object behind its last one.
Edit insertion(json::Value object, const std::string& members) {
  const std::size_t end = object.offset() + object.raw().size() - 1;
  std::size_t behind = 0;
  for (const json::Member member : object.members()) {
    behind = member.value.offset() + member.value.raw().size();
  }
  if (behind == 0) {
    return {.offset = end, .length = 0, .text = members};
  }
  return {.offset = behind, .length = 0, .text = "," + members};
}

CacheReaders readers_of(json::Value servers) {
  for (const json::Member entry : servers.members()) {
    if (entry.value.find(own_hash_key).is_string()) {
      return CacheReaders::adapter;
    }
  }
  return CacheReaders::any;
}

// For a version-1 file in good order.
CacheUpdate spliced(json::Value root,
                    std::string_view old_text,
                    const std::vector<NamedEntry>& entries) {
  const json::Value servers = root.find("servers");
  const CacheReaders readers = readers_of(servers);
  std::vector<Edit> edits;
  std::string added;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const CacheEntry& entry = entries[i].entry;
    const json::Value old = servers.find(entries[i].server);
    if (is_superseded(entries, i) || is_current(entry, old, readers)) {
      continue;
    }
    if (old) {
      edits.push_back(replacement(old, encode_entry(entry, old, readers)));
    } else {
      append_member(added, entries[i].server, encode_entry(entry, {}, readers));
    }
  }
  if (!servers.is_object()) {
    const std::string object = "{" + added + "}";
    edits.push_back(servers ? replacement(servers, object)
                            : insertion(root, "\"servers\":" + object));
  } else if (!added.empty()) {
    edits.push_back(insertion(servers, added));
  }
  if (edits.empty()) {
    return {};
  }
  return changed(apply(old_text, std::move(edits)));
}

}  // namespace

CacheSnapshot CacheSnapshot::parse(SharedText text) {
  CacheOutline outline = outline_of(text.view());
  CacheSnapshot snapshot;
  if (version_of(outline.version) == Version::ours) {
    snapshot.text_ = std::move(text);
    snapshot.slots_ = std::move(outline.slots);
  }
  return snapshot;
}

const CacheOutline::Slot* CacheSnapshot::slot(std::string_view server) const {
  const auto found = std::find_if(slots_.rbegin(), slots_.rend(), [server](const auto& candidate) {
    return candidate.server == server;
  });
  return found == slots_.rend() || found->length > cache_entry_bytes_max ? nullptr : &*found;
}

std::string_view CacheSnapshot::hash_of(std::string_view server) const {
  const CacheOutline::Slot* const found = slot(server);
  return found == nullptr ? std::string_view() : found->hash;
}

bool CacheSnapshot::may_have(std::string_view server, EntryPart part) const {
  const CacheOutline::Slot* const found = slot(server);
  return found != nullptr && (part == EntryPart::all || found->has_words);
}

std::optional<CacheEntry> CacheSnapshot::find(std::string_view server,
                                              std::string_view hash,
                                              EpochMs now,
                                              std::string_view declared,
                                              EntryPart part) const {
  const CacheOutline::Slot* const place = slot(server);
  if (place == nullptr) {
    return std::nullopt;
  }
  const Result<json::Document> document = parse_entry(text_.sub(place->offset, place->length));
  if (!document || !has_hash(document->root(), hash)) {
    return std::nullopt;
  }
  CacheEntry entry = decode_entry(*document, declared, part);
  return is_valid_at(entry, now) ? std::optional(std::move(entry)) : std::nullopt;
}

CacheUpdate with_entries(std::string_view old_text, const std::vector<NamedEntry>& entries) {
  const Result<json::Document> document = parse_file(old_text);
  const CacheOutline outline = document ? CacheOutline{} : outline_of(old_text);
  const Version version =
      document ? version_of(document->root().find("version")) : version_of(outline.version);
  if (version == Version::newer) {
    return {.outcome = CacheUpdate::Outcome::newer_version, .text = {}};
  }
  if (!document) {
    return changed(replaced(old_text, outline, entries));
  }
  if (version == Version::none) {
    return changed(file_text(members_of(entries)));
  }
  return spliced(document->root(), old_text, entries);
}

CacheUpdate with_adapter_hashes(std::string_view old_text,
                                const std::vector<NamedIdentity>& identities) {
  const Result<json::Document> document = parse_file(old_text);
  if (!document || version_of(document->root().find("version")) != Version::ours) {
    return {};
  }
  std::vector<Edit> edits;
  for (const auto& [server, identity] : identities) {
    const json::Value entry = document->root().find("servers").find(server);
    const json::Value hash = entry.find("configHash");
    if (!hash || !has_hash(entry, identity.own) || hash.equals(identity.adapter)) {
      continue;
    }
    std::string text = json::quoted(identity.adapter);
    if (hash.equals(identity.own)) {
      append_member(text, own_hash_key, json::quoted(identity.own));
    }
    edits.push_back(replacement(hash, std::move(text)));
  }
  return edits.empty() ? CacheUpdate{} : changed(apply(old_text, std::move(edits)));
}

}  // namespace pi_mcp::catalog
