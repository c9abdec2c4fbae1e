#include "catalog/cache_entry.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/items.h"

namespace pi_mcp::catalog {
namespace {

// What is read of an entry at most, whoever wrote it.
constexpr std::size_t notes_max = 8;
constexpr std::size_t note_units_max = 400;

// Room for the brackets around a schema: entry, byCapabilities, lists, tools, tool.
constexpr std::uint32_t schema_depth_max = cache_entry_depth_max - 5;
// Lists of one server that differ by what hosts declare.
constexpr std::size_t variants_max = 8;
// Number.MAX_SAFE_INTEGER: other adapters write and read these numbers as doubles.
constexpr std::int64_t safe_integer_max = (std::int64_t{1} << 53) - 1;

void write_text(json::Writer& out, std::string_view key, const std::string& text) {
  if (!text.empty()) {
    out.member(key, text);
  }
}

void write_json(json::Writer& out, std::string_view key, const SharedText& text) {
  if (text.empty()) {
    return;
  }
  json::ParseOptions options;
  options.depth_max = schema_depth_max;
  const Result<json::Document> document = json::Document::parse(text, options);
  if (document) {
    out.member_raw(key, json::compact(document->root()));
  }
}

void write_tool(json::Writer& out, const mcp::Tool& tool) {
  out.begin_object();
  out.member("name", tool.name);
  write_text(out, "title", tool.title);
  write_text(out, "description", tool.description);
  write_json(out, "inputSchema", tool.input_schema);
  write_json(out, "annotations", tool.annotations);
  mcp::write_others(out, tool.others);
  out.end_object();
}

constexpr std::string_view declared_key = "capabilities";
constexpr std::string_view variants_key = "byCapabilities";
constexpr std::string_view seen_key = "seen";

// What one listing consists of, in the order in which it is written.
constexpr std::array<std::string_view, 11> listing_keys = {"tools",
                                                           "resources",
                                                           "resourceTemplates",
                                                           "prompts",
                                                           "instructions",
                                                           "title",
                                                           "notes",
                                                           "ttlMs",
                                                           "cacheScope",
                                                           "privateTo",
                                                           "era"};

// Keys whose old value says nothing about a fresh listing.
bool is_replaced(std::string_view key) {
  return std::ranges::find(listing_keys, key) != listing_keys.end() || key == "configHash" ||
         key == own_hash_key || key == "cachedAt" || key == declared_key || key == variants_key ||
         key == seen_key;
}

// What was known of a list stays when the server has none now.
template <class Item>
void write_list(json::Writer& out,
                std::string_view key,
                const std::vector<Item>& items,
                void (*write)(json::Writer& out, const Item& item),
                json::Value kept) {
  const json::Value old = kept.find(key);
  if (items.empty() && old.is_array()) {
    out.member_raw(key, old.raw());
  } else if (!items.empty()) {
    out.key(key).begin_array();
    for (const Item& item : items) {
      write(out, item);
    }
    out.end_array();
  }
}

// A listing as members of an object, with when it was read.
struct Lists {
  std::string members;
  std::int64_t cached_at = 0;
};

Lists lists_of(const CacheEntry& entry, std::int64_t cached_at, json::Value kept) {
  json::Writer out;
  out.begin_object();
  out.key("tools").begin_array();
  for (const mcp::Tool& tool : entry.listing.tools) {
    write_tool(out, tool);
  }
  out.end_array();
  // Other adapters want "resources" in every entry.
  if (entry.listing.resources.empty() && !kept.find("resources").is_array()) {
    out.member_raw("resources", "[]");
  }
  write_list(out, "resources", entry.listing.resources, mcp::write_resource, kept);
  write_list(out, "resourceTemplates", entry.listing.templates, mcp::write_template, kept);
  write_list(out, "prompts", entry.listing.prompts, mcp::write_prompt, kept);
  write_text(out, "instructions", entry.listing.instructions);
  write_text(out, "title", entry.listing.title);
  if (!entry.listing.notes.empty()) {
    out.key("notes").begin_array();
    for (const std::string& note : entry.listing.notes) {
      out.string(note);
    }
    out.end_array();
  }
  if (const std::optional<mcp::Caching>& caching = entry.listing.caching) {
    out.member("ttlMs", caching->ttl.count());
    out.member("cacheScope", caching->is_private ? "private" : "public");
    write_text(out, "privateTo", caching->is_private ? entry.private_to : "");
  }
  if (const std::optional<mcp::Era>& era = entry.listing.era) {
    out.key("era").begin_object().member("protocolVersion", mcp::name(era->revision));
    out.member("session", era->has_session).member("tried", era->tried_handshake);
    out.member("server", era->server).end_object();
  }
  const std::string object = out.end_object().take();
  return {.members = object.substr(1, object.size() - 2), .cached_at = cached_at};
}

Lists lists_in(json::Value object) {
  Lists lists;
  for (const std::string_view key : listing_keys) {
    if (const json::Value value = object.find(key)) {
      lists.members +=
          (lists.members.empty() ? "" : ",") + json::quoted(key) + ":" + std::string(value.raw());
    }
  }
  lists.cached_at = object.find("cachedAt").as_int().value_or(0);
  return lists;
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string_view> all = text::split(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

// Whoever declares `less` declares nothing that `more` lacks.
bool is_within(std::string_view less, std::string_view more) {
  return less.empty() || std::ranges::all_of(text::split(less, ' '), [more](std::string_view word) {
           return has_word(more, word);
         });
}

// What an entry has for one set of capabilities: the entry itself, or one of its variants.
struct Variant {
  std::string declared;
  json::Value lists;
};

std::vector<Variant> variants_of(json::Value entry) {
  std::vector<Variant> variants;
  for (const json::Member member : entry.find(variants_key).members()) {
    if (variants.size() < variants_max && member.value.find("tools").is_array()) {
      variants.push_back({.declared = member.name(), .lists = member.value});
    }
  }
  return variants;
}

// An entry of which it is not known what was declared, and one that no host has seen differently,
// is for all hosts.
Variant lists_for(json::Value entry, std::string_view declared) {
  std::vector<Variant> variants = variants_of(entry);
  const json::Value base = entry.find(declared_key);
  if (variants.empty() || !base.is_string()) {
    return {.declared = base.string_or(""), .lists = entry};
  }
  variants.push_back({.declared = base.string_or(""), .lists = entry});
  const auto same = std::ranges::find(variants, declared, &Variant::declared);
  if (same != variants.end()) {
    return *same;
  }
  // Of those who declare less the one who saw most; of the others the one who saw least.
  const auto rank = [declared](const Variant& each) {
    const auto tools = static_cast<std::ptrdiff_t>(each.lists.find("tools").size());
    const bool less = is_within(each.declared, declared);
    return std::pair(less, less ? tools : -tools);
  };
  return *std::ranges::max_element(variants, {}, rank);
}

// The new form of one server's entry, from the old one.
struct Merge {
  std::string declared;  // by whoever saw the base
  Lists base;
  std::vector<std::pair<std::string, Lists>> variants;
};

// The base is what programs read that know nothing of variants: of two listings that differ, the
// one for the ablest host.
Merge merged(const CacheEntry& entry, std::int64_t cached_at, json::Value kept) {
  const json::Value base = kept.find(declared_key);
  const bool is_base = !base.is_string() || base.equals(entry.declared);
  Merge merge;
  json::Value own = is_base ? kept : json::Value();
  for (const Variant& each : variants_of(kept)) {
    if (each.declared == entry.declared) {
      own = is_base ? own : each.lists;
    } else if (base.is_string()) {
      merge.variants.emplace_back(each.declared, lists_in(each.lists));
    }
  }
  Lists fresh = lists_of(entry, cached_at, own);
  merge.declared = entry.declared;
  if (is_base) {
    merge.base = std::move(fresh);
    return merge;
  }
  Lists old = lists_in(kept);
  const std::string by = base.string_or("");
  if (fresh.members == old.members) {
    merge.declared = by;
    merge.base = std::move(fresh);
  } else if (is_within(by, entry.declared)) {
    merge.base = std::move(fresh);
    merge.variants.emplace_back(by, std::move(old));
  } else {
    merge.declared = by;
    merge.base = std::move(old);
    merge.variants.emplace_back(entry.declared, std::move(fresh));
  }
  return merge;
}

// In the order of the alphabet.
std::string seen_of(const CacheEntry& entry, json::Value kept) {
  std::set<std::string> words;
  const std::string old = kept.find(seen_key).string_or("");
  const std::vector<std::string_view> lasting = text::words(lasting_seen);
  for (const std::string_view word : text::words(old)) {
    if (std::ranges::find(lasting, word) != lasting.end()) {
      words.emplace(word);
    }
  }
  for (const std::string_view word : text::words(entry.seen)) {
    words.emplace(word);
  }
  return text::join({words.begin(), words.end()}, " ");
}

// The hashes as members. What is found by the adapter's hash stays so while the definition is the
// same, also where a session with other variables writes the entry.
std::string hashes_of(const CacheEntry& entry, json::Value kept, CacheReaders file) {
  const auto& [own, adapter] = entry.identity;
  const bool wanted = entry.for_adapter || (!kept && file == CacheReaders::adapter);
  const std::string hash =
      wanted && !adapter.empty() ? adapter : kept.find("configHash").string_or(own);
  const std::string member = R"("configHash":)" + json::quoted(hash);
  return hash == own ? member : member + "," + json::quoted(own_hash_key) + ":" + json::quoted(own);
}

std::string text_of(const Merge& merge,
                    const CacheEntry& entry,
                    json::Value kept,
                    CacheReaders file) {
  std::string text = "{" + hashes_of(entry, kept, file) + "," + merge.base.members;
  for (const json::Member member : kept.members()) {
    const std::string name = member.name();
    if (!is_replaced(name)) {
      text += "," + json::quoted(name) + ":" + std::string(member.value.raw());
    }
  }
  text += "," + json::quoted(declared_key) + ":" + json::quoted(merge.declared);
  if (const std::string seen = seen_of(entry, kept); !seen.empty()) {
    text += "," + json::quoted(seen_key) + ":" + json::quoted(seen);
  }
  std::string variants;
  for (std::size_t i = merge.variants.size(); i > 0; --i) {  // those seen last are kept
    const auto& [declared, lists] = merge.variants[i - 1];
    if (merge.variants.size() - i < variants_max) {
      variants.insert(0,
                      json::quoted(declared) + ":{" + lists.members + R"(,"cachedAt":)" +
                          std::to_string(lists.cached_at) + (variants.empty() ? "}" : "},"));
    }
  }
  if (!variants.empty() && text.size() + variants.size() < cache_entry_bytes_max) {
    text += "," + json::quoted(variants_key) + ":{" + variants + "}";
  }
  return text + R"(,"cachedAt":)" + std::to_string(merge.base.cached_at) + "}";
}

std::string encode(const CacheEntry& entry, EpochMs cached_at, json::Value old, CacheReaders file) {
  const std::string& adapter = entry.identity.adapter;
  const bool is_same =
      has_hash(old, entry.identity.own) || (!adapter.empty() && has_hash(old, adapter));
  const json::Value kept = is_same ? old : json::Value();
  return text_of(merged(entry, cached_at.value, kept), entry, kept, file);
}

// Other programs may have written a time alone.
std::optional<mcp::Caching> decode_caching(json::Value value) {
  const std::optional<std::int64_t> ttl_ms = value.find("ttlMs").as_int();
  if (!ttl_ms || *ttl_ms < 0 || *ttl_ms > safe_integer_max) {
    return std::nullopt;
  }
  return mcp::Caching{.ttl = Milliseconds(std::min(*ttl_ms, cache_age_max_ms)),
                      .is_private = value.find("cacheScope").equals("private")};
}

std::optional<mcp::Era> decode_era(json::Value value) {
  const auto revision = mcp::parse_revision(value.find("protocolVersion").string_or(""));
  return revision ? std::optional(mcp::Era{.revision = *revision,
                                           .has_session = value.find("session").bool_or(false),
                                           .tried_handshake = value.find("tried").bool_or(false),
                                           .server = value.find("server").string_or("")})
                  : std::nullopt;
}

// How old an entry may be before it is written again although it says the same. One that was good
// for minutes must not be taken for older than it is; one that is out of date at once is so anyhow.
std::int64_t rewrite_age(const CacheEntry& entry) {
  constexpr std::int64_t minute_ms = 60'000;
  return entry.listing.caching && entry.listing.caching->ttl.count() > 0
             ? std::clamp(entry.listing.caching->ttl.count() / 2, minute_ms, cache_rewrite_age_ms)
             : cache_rewrite_age_ms;
}

}  // namespace

CacheEntry decode_entry(const json::Document& entry_document,
                        std::string_view declared,
                        EntryPart part) {
  const auto [seen_by, value] = lists_for(entry_document.root(), declared);
  CacheEntry entry;
  entry.declared = seen_by;
  entry.seen = entry_document.root().find(seen_key).string_or("");
  entry.cached_at.value = value.find("cachedAt").as_int().value_or(0);
  entry.listing.caching = decode_caching(value);
  entry.listing.era = decode_era(value.find("era"));
  entry.private_to = value.find("privateTo").string_or("");
  entry.listing.instructions = value.find("instructions").string_or("");
  entry.listing.title = value.find("title").string_or("");
  if (part == EntryPart::words) {
    return entry;
  }
  const json::Value tools = value.find("tools");
  entry.listing.tools.reserve(tools.size());
  for (const json::Value tool : tools.elements()) {
    entry.listing.tools.push_back(mcp::read_tool(entry_document, tool));
  }
  for (const json::Value resource : value.find("resources").elements()) {
    entry.listing.resources.push_back(mcp::read_resource(resource));
  }
  for (const json::Value one : value.find("resourceTemplates").elements()) {
    entry.listing.templates.push_back(mcp::read_template(one));
  }
  for (const json::Value prompt : value.find("prompts").elements()) {
    entry.listing.prompts.push_back(mcp::read_prompt(prompt));
  }
  std::erase_if(entry.listing.tools, [](const mcp::Tool& tool) { return tool.name.empty(); });
  for (std::vector<mcp::Resource>* list : {&entry.listing.resources, &entry.listing.templates}) {
    std::erase_if(*list, [](const mcp::Resource& r) { return r.name.empty() || r.uri.empty(); });
  }
  std::erase_if(entry.listing.prompts, [](const mcp::Prompt& p) { return p.name.empty(); });
  for (const json::Value note : value.find("notes").elements()) {
    if (entry.listing.notes.size() < notes_max && note.is_string()) {
      entry.listing.notes.push_back(text::cut(note.string_or(""), note_units_max));
    }
  }
  return entry;
}

bool has_hash(json::Value entry, std::string_view hash) {
  return entry.find("configHash").equals(hash) || entry.find(own_hash_key).equals(hash);
}

std::string encode_entry(const CacheEntry& entry, json::Value old, CacheReaders file) {
  return encode(entry, entry.cached_at, old, file);
}

bool is_current(const CacheEntry& entry, json::Value old, CacheReaders file) {
  const std::optional<std::int64_t> old_time =
      lists_for(old, entry.declared).lists.find("cachedAt").as_int();
  if (!old_time) {
    return false;
  }
  const std::int64_t oldest = entry.cached_at.value - rewrite_age(entry);
  const bool young = *old_time > oldest && *old_time <= entry.cached_at.value;
  return young && encode(entry, EpochMs{*old_time}, old, file) == old.raw();
}

}  // namespace pi_mcp::catalog
