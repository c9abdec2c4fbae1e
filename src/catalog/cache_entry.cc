#include "catalog/cache_entry.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::catalog {
namespace {

// What is read of an entry at most, whoever wrote it.
constexpr std::size_t notes_max = 8;
constexpr std::size_t note_units_max = 400;

// Room for the brackets around a schema: entry, tools, tool.
constexpr std::uint32_t schema_depth_max = cache_entry_depth_max - 3;
// Number.MAX_SAFE_INTEGER: other adapters write and read these numbers as doubles.
constexpr std::int64_t safe_integer_max = (std::int64_t{1} << 53) - 1;

SharedText object_text(const json::Document& document, json::Value value) {
  return value.is_object() ? document.share(value) : SharedText();
}

mcp::Tool decode_tool(const json::Document& document, json::Value value) {
  mcp::Tool tool;
  for (const json::Member member : value.members()) {
    if (member.key.equals("name")) {
      tool.name = member.value.string_or("");
    } else if (member.key.equals("title")) {
      tool.title = member.value.string_or("");
    } else if (member.key.equals("description")) {
      tool.description = member.value.string_or("");
    } else if (member.key.equals("inputSchema")) {
      tool.input_schema = object_text(document, member.value);
    } else if (member.key.equals("outputSchema")) {
      tool.output_schema = object_text(document, member.value);
    } else if (member.key.equals("annotations")) {
      tool.annotations = object_text(document, member.value);
    }
  }
  return tool;
}

mcp::Resource decode_resource(json::Value value) {
  mcp::Resource resource;
  resource.uri = value.find("uri").string_or("");
  resource.name = value.find("name").string_or("");
  resource.title = value.find("title").string_or("");
  resource.description = value.find("description").string_or("");
  resource.mime_type = value.find("mimeType").string_or("");
  return resource;
}

mcp::Prompt decode_prompt(json::Value value) {
  mcp::Prompt prompt;
  prompt.name = value.find("name").string_or("");
  prompt.title = value.find("title").string_or("");
  prompt.description = value.find("description").string_or("");
  for (const json::Value argument : value.find("arguments").elements()) {
    mcp::PromptArgument decoded;
    decoded.name = argument.find("name").string_or("");
    decoded.description = argument.find("description").string_or("");
    decoded.required = argument.find("required").bool_or(false);
    if (!decoded.name.empty()) {
      prompt.arguments.push_back(std::move(decoded));
    }
  }
  return prompt;
}

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
  write_json(out, "outputSchema", tool.output_schema);
  write_json(out, "annotations", tool.annotations);
  out.end_object();
}

void write_resource(json::Writer& out, const mcp::Resource& resource) {
  out.begin_object();
  out.member("uri", resource.uri);
  out.member("name", resource.name);
  write_text(out, "title", resource.title);
  write_text(out, "description", resource.description);
  write_text(out, "mimeType", resource.mime_type);
  out.end_object();
}

void write_prompt(json::Writer& out, const mcp::Prompt& prompt) {
  out.begin_object();
  out.member("name", prompt.name);
  write_text(out, "title", prompt.title);
  write_text(out, "description", prompt.description);
  out.key("arguments").begin_array();
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    out.begin_object();
    out.member("name", argument.name);
    write_text(out, "description", argument.description);
    if (argument.required) {
      out.member("required", true);
    }
    out.end_object();
  }
  out.end_array().end_object();
}

// Keys whose old value says nothing about a fresh listing.
bool is_replaced(std::string_view key) {
  constexpr std::array<std::string_view, 10> keys = {"configHash",
                                                     "tools",
                                                     "resources",
                                                     "prompts",
                                                     "instructions",
                                                     "notes",
                                                     "cachedAt",
                                                     "ttlMs",
                                                     "cacheScope",
                                                     "privateTo"};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

void write_resources(json::Writer& out, const mcp::Listing& listing, json::Value kept) {
  const json::Value old = kept.find("resources");
  if (listing.resources.empty() && old.is_array()) {
    out.member_raw("resources", old.raw());
    return;
  }
  out.key("resources").begin_array();
  for (const mcp::Resource& resource : listing.resources) {
    write_resource(out, resource);
  }
  out.end_array();
}

void write_prompts(json::Writer& out, const mcp::Listing& listing, json::Value kept) {
  const json::Value old = kept.find("prompts");
  if (listing.prompts.empty()) {
    if (old.is_array()) {
      out.member_raw("prompts", old.raw());
    }
    return;
  }
  out.key("prompts").begin_array();
  for (const mcp::Prompt& prompt : listing.prompts) {
    write_prompt(out, prompt);
  }
  out.end_array();
}

std::string encode(const CacheEntry& entry, EpochMs cached_at, json::Value old) {
  const json::Value kept = old.find("configHash").equals(entry.config_hash) ? old : json::Value();
  json::Writer out;
  out.begin_object();
  out.member("configHash", entry.config_hash);
  out.key("tools").begin_array();
  for (const mcp::Tool& tool : entry.listing.tools) {
    write_tool(out, tool);
  }
  out.end_array();
  write_resources(out, entry.listing, kept);
  write_prompts(out, entry.listing, kept);
  write_text(out, "instructions", entry.listing.instructions);
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
  for (const json::Member member : kept.members()) {
    const std::string name = member.name();
    if (!is_replaced(name)) {
      out.member_raw(name, member.value.raw());
    }
  }
  out.member("cachedAt", cached_at.value);
  out.end_object();
  return out.take();
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

// How old an entry may be before it is written again although it says the same. One that was good
// for minutes must not be taken for older than it is; one that is out of date at once is so anyhow.
std::int64_t rewrite_age(const CacheEntry& entry) {
  constexpr std::int64_t minute_ms = 60'000;
  return entry.listing.caching && entry.listing.caching->ttl.count() > 0
             ? std::clamp(entry.listing.caching->ttl.count() / 2, minute_ms, cache_rewrite_age_ms)
             : cache_rewrite_age_ms;
}

}  // namespace

CacheEntry decode_entry(const json::Document& entry_document) {
  const json::Value value = entry_document.root();
  CacheEntry entry;
  entry.config_hash = value.find("configHash").string_or("");
  entry.cached_at.value = value.find("cachedAt").as_int().value_or(0);
  entry.listing.caching = decode_caching(value);
  entry.private_to = value.find("privateTo").string_or("");
  const json::Value tools = value.find("tools");
  entry.listing.tools.reserve(tools.size());
  for (const json::Value tool : tools.elements()) {
    entry.listing.tools.push_back(decode_tool(entry_document, tool));
  }
  for (const json::Value resource : value.find("resources").elements()) {
    entry.listing.resources.push_back(decode_resource(resource));
  }
  for (const json::Value prompt : value.find("prompts").elements()) {
    entry.listing.prompts.push_back(decode_prompt(prompt));
  }
  std::erase_if(entry.listing.tools, [](const mcp::Tool& tool) { return tool.name.empty(); });
  std::erase_if(entry.listing.resources,
                [](const mcp::Resource& r) { return r.name.empty() || r.uri.empty(); });
  std::erase_if(entry.listing.prompts, [](const mcp::Prompt& p) { return p.name.empty(); });
  entry.listing.instructions = value.find("instructions").string_or("");
  for (const json::Value note : value.find("notes").elements()) {
    if (entry.listing.notes.size() < notes_max && note.is_string()) {
      entry.listing.notes.push_back(text::cut(note.string_or(""), note_units_max));
    }
  }
  return entry;
}

std::string encode_entry(const CacheEntry& entry, json::Value old) {
  return encode(entry, entry.cached_at, old);
}

bool is_current(const CacheEntry& entry, json::Value old) {
  const std::optional<std::int64_t> old_time = old.find("cachedAt").as_int();
  if (!old_time) {
    return false;
  }
  const std::int64_t oldest = entry.cached_at.value - rewrite_age(entry);
  const bool young = *old_time > oldest && *old_time <= entry.cached_at.value;
  return young && encode(entry, EpochMs{*old_time}, old) == old.raw();
}

}  // namespace pi_mcp::catalog
