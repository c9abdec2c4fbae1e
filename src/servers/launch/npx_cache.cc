#include "servers/launch/npx_cache.h"

#include "base/log.h"
#include "config/load.h"
#include "io/files/file.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::servers {
namespace {

constexpr std::int64_t cache_version = 2;
// Another session writes for a few milliseconds; a start must not wait for a stuck one.
constexpr Milliseconds lock_wait_max{200};

void append_entry(json::Writer& out, std::string_view key, const NpxCacheEntry& entry) {
  out.key(key).begin_object().member("resolvedBin", entry.program);
  out.member("resolvedAt", entry.resolved_at.value);
  out.member("packageVersion", entry.version).member("isJs", entry.node_script);
  if (entry.retry_at.value > 0) {
    out.member("retryAt", entry.retry_at.value);
  }
  out.end_object();
}

void update(const std::string& path, const io::FileChange& change) {
  const Result<void> saved =
      io::update_file(path, change, lock_wait_max, {.durability = io::Durability::cache});
  if (!saved) {
    log::warning("the npx cache was not saved: " + saved.error().message());
  }
}

}  // namespace

std::int64_t age_ms(EpochMs then, EpochMs now) {
  return then <= now ? now.value - then.value : npx_check_after_ms;
}

std::optional<NpxCacheEntry> npx_cache_entry(std::string_view text, std::string_view key) {
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document || document->root().find("version").as_int() != cache_version) {
    return std::nullopt;
  }
  const json::Value entry = document->root().at({"entries", key});
  const std::optional<std::int64_t> resolved_at = entry.find("resolvedAt").as_int();
  if (!resolved_at) {
    return std::nullopt;
  }
  return NpxCacheEntry{.program = entry.find("resolvedBin").string_or(""),
                       .resolved_at = {*resolved_at},
                       .version = entry.find("packageVersion").string_or(""),
                       .node_script = entry.find("isJs").bool_or(false),
                       .retry_at = {entry.find("retryAt").as_int().value_or(0)}};
}

std::string with_npx_cache_entry(std::string_view text,
                                 std::string_view key,
                                 const NpxCacheEntry& entry) {
  json::Writer out;
  out.begin_object().member("version", cache_version).key("entries").begin_object();
  const Result<json::Document> document = json::Document::parse_view(text);
  if (document && document->root().find("version").as_int() == cache_version) {
    for (const auto [name, value] : document->root().find("entries").members()) {
      if (!name.equals(key)) {
        out.member_raw(name.string_or(""), value.raw());
      }
    }
  }
  append_entry(out, key, entry);
  return out.end_object().end_object().take();
}

NpxCache::NpxCache(const Launch& launch, const packages::NpxCommand& command) {
  config::Environment environment;
  environment.variables.insert(launch.env.begin(), launch.env.end());
  environment.home = environment.variable("HOME").value_or("");
  path_ = config::agent_dir(environment) + "/mcp-npx-cache.json";
  json::Writer key;
  key.begin_array().string(launch.command).string(command.package.text);
  key.string(command.bin).end_array();
  key_ = key.take();
}

std::optional<NpxCacheEntry> NpxCache::read() const {
  const std::string text = io::read_file(path_).value_or(std::nullopt).value_or("");
  return npx_cache_entry(text, key_);
}

void NpxCache::write(const NpxCacheEntry& entry) const {
  update(path_, [&](const std::string& text) -> std::optional<std::string> {
    return with_npx_cache_entry(text, key_, entry);
  });
}

bool NpxCache::claim(EpochMs now, EpochMs until) const {
  bool claimed = false;
  update(path_, [&](const std::string& text) -> std::optional<std::string> {
    std::optional<NpxCacheEntry> entry = npx_cache_entry(text, key_);
    const bool due =
        entry && entry->retry_at <= now && age_ms(entry->resolved_at, now) >= npx_check_after_ms;
    if (!due) {
      return std::nullopt;
    }
    entry->retry_at = until;
    claimed = true;
    return with_npx_cache_entry(text, key_, *entry);
  });
  return claimed;
}

}  // namespace pi_mcp::servers
