#include "servers/npx_start.h"

#include <utility>

#include "base/log.h"
#include "config/load.h"
#include "io/file.h"
#include "json/writer.h"

namespace pi_mcp::servers {
namespace {

constexpr std::int64_t cache_version = 2;
// How long npx is not asked whether a tag or range means something newer.
constexpr std::int64_t recheck_after_ms = std::int64_t{24} * 60 * 60 * 1000;
// Another session writes for a few milliseconds; a start must not wait for a stuck one.
constexpr Milliseconds lock_wait_max{200};

std::string cache_key(const Launch& launch, const NpxCommand& command) {
  json::Writer key;
  key.begin_array().string(launch.command).string(command.package.text);
  key.string(command.bin).end_array();
  return key.take();
}

std::string cache_path(const Launch& launch) {
  config::Environment environment;
  environment.variables.insert(launch.env.begin(), launch.env.end());
  environment.home = environment.variable("HOME").value_or("");
  return config::agent_dir(environment) + "/mcp-npx-cache.json";
}

void append_entry(json::Writer& out, std::string_view key, const NpxCacheEntry& entry) {
  out.key(key).begin_object().member("resolvedBin", entry.program);
  out.member("resolvedAt", entry.resolved_at.value);
  out.member("packageVersion", entry.version).member("isJs", entry.node_script).end_object();
}

void save(const std::string& path, const std::string& key, const NpxCacheEntry& entry) {
  const auto add = [&](const std::string& text) -> std::optional<std::string> {
    return with_npx_cache_entry(text, key, entry);
  };
  const Result<void> saved =
      io::update_file(path, add, lock_wait_max, {.durability = io::Durability::cache});
  if (!saved) {
    log::warning("the npx cache was not saved: " + saved.error().message());
  }
}

bool is_recent(EpochMs then, EpochMs now) {
  return then.value <= now.value && now.value - then.value < recheck_after_ms;
}

}  // namespace

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
                       .node_script = entry.find("isJs").bool_or(false)};
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

Launch without_npm(Launch launch, EpochMs now) {
  const std::optional<NpxCommand> command = parse_npx_command(launch.command, launch.args);
  const NpmPlace place{.variables = launch.env, .cwd = launch.cwd};
  const std::optional<std::string> cache_dir = command ? npm_cache_dir(place) : std::nullopt;
  if (!cache_dir || npx_prefers_local(place, *command)) {
    return launch;
  }
  const std::string path = cache_path(launch);
  const std::string key = cache_key(launch, *command);
  const std::string text = io::read_file(path).value_or(std::nullopt).value_or("");
  const std::optional<NpxCacheEntry> known = npx_cache_entry(text, key);
  const std::optional<InstalledProgram> program = find_installed(*cache_dir, *command);
  const bool checked = command->package.is_exact() || (known && is_recent(known->resolved_at, now));
  if (!program || !checked) {
    if (!command->package.is_exact()) {
      save(path, key, {.program = "", .resolved_at = now, .version = "", .node_script = false});
    }
    return launch;
  }
  if (!known || known->program != program->path) {
    // For an exact version the date is only information; for others it is that of npx's last run.
    save(path,
         key,
         {.program = program->path,
          .resolved_at = known ? known->resolved_at : now,
          .version = program->version,
          .node_script = program->node_script});
  }
  log::info(launch.server + ": starting " + program->path + " instead of " + launch.command);
  launch.args = command->args;
  if (program->node_script) {
    launch.args.insert(launch.args.begin(), program->path);
    launch.command = "node";
  } else {
    launch.command = program->path;
  }
  return launch;
}

}  // namespace pi_mcp::servers
