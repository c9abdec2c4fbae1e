#include "servers/launch/npx_check.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "base/text.h"
#include "io/loop/clock.h"
#include "io/process/run_command.h"
#include "json/document.h"
#include "packages/npm_cache.h"
#include "servers/launch/npx_cache.h"

namespace pi_mcp::servers {
namespace {

// With the lowest priority a second of work takes minutes while a machine is busy.
constexpr io::CommandLimits look_limits{.time_max = Milliseconds(300'000),
                                        .output_bytes_max = std::size_t{4} << 20U};
constexpr io::CommandLimits install_limits{.time_max = Milliseconds(1'800'000),
                                           .output_bytes_max = std::size_t{4} << 20U};
constexpr std::int64_t retry_after_ms = std::int64_t{60} * 60 * 1000;

bool is_version(const std::string& text) {
  return packages::PackageSpec{.text = "", .name = "", .version = text}.is_exact();
}

// Where the server's own npx would run, with the registry and the proxies it would use.
io::Task<Result<std::string>> run_npm(const Launch* launch,
                                      std::vector<std::string> arguments,
                                      io::CommandLimits limits) {
  io::Command command{.program = "npm",
                      .arguments = std::move(arguments),
                      .environment = launch->env,
                      .folder = launcher_folder(*launch),
                      .background = true};
  command.environment["npm_config_update_notifier"] = "false";
  Result<io::CommandOutput> output = co_await io::run_command(std::move(command), limits);
  if (!output) {
    co_return fail(std::move(output).error());
  }
  if (output->status.code() != 0) {
    co_return fail(ErrorCode::unavailable, "npm " + output->status.text());
  }
  co_return std::move(output->text);
}

io::Task<Result<std::string>> newest_version(const Launch* launch, std::string spec) {
  const Result<std::string> seen = co_await run_npm(
      launch, {"view", std::move(spec), "version", "dist-tags.latest", "--json"}, look_limits);
  if (!seen) {
    co_return fail(seen.error());
  }
  const std::optional<std::string> version = version_of_view(*seen);
  co_return version ? Result<std::string>(*version)
                    : fail(ErrorCode::protocol, "npm view printed no version");
}

// The program of that version, in a folder of its own.
io::Task<Result<packages::InstalledProgram>> install(const NpxCheck* check, std::string version) {
  const packages::NpxCommand pinned = check->command.pinned(version);
  std::optional<packages::InstalledProgram> program =
      packages::find_installed(check->npm_dir, pinned);
  if (!program) {
    const Result<std::string> done = co_await run_npm(
        &check->launch,
        {"exec", "--yes", "--package=" + pinned.package.text, "--", "node", "-e", "0"},
        install_limits);
    if (!done) {
      co_return fail(done.error());
    }
    program = packages::find_installed(check->npm_dir, pinned);
  }
  co_return program ? Result<packages::InstalledProgram>(*std::move(program))
                    : fail(ErrorCode::not_found, "npm did not install its program");
}

io::Task<Result<void>> look_and_install(const NpxCheck* check) {
  const NpxCache cache(check->launch, check->command);
  const EpochMs now = io::epoch_now();
  if (!cache.claim(now, {now.value + retry_after_ms})) {
    co_return Result<void>();
  }
  const Result<std::string> version =
      co_await newest_version(&check->launch, check->command.package.text);
  if (!version) {
    co_return fail(version.error());
  }
  std::optional<NpxCacheEntry> entry = cache.read();
  if (*version != check->version) {
    const Result<packages::InstalledProgram> program = co_await install(check, *version);
    if (!program) {
      co_return fail(program.error());
    }
    entry = NpxCacheEntry{.program = program->path,
                          .resolved_at = {},
                          .version = program->version,
                          .node_script = program->node_script};
    log::info(check->launch.server + ": " + check->command.package.name + " " + *version +
              " is installed for its next start");
  }
  if (entry) {
    entry->resolved_at = io::epoch_now();
    entry->retry_at = {};
    cache.write(*entry);
  }
  co_return Result<void>();
}

}  // namespace

io::Task<void> check_npx(NpxCheck check) {
  const Result<void> checked = co_await look_and_install(&check);
  if (!checked && checked.error().code() != ErrorCode::cancelled) {
    log::info(check.launch.server + ": looking for a newer " + check.command.package.text + ": " +
              checked.error().message());
  }
}

std::optional<std::string> version_of_view(std::string_view json) {
  const Result<json::Document> document = json::Document::parse_view(text::trim(json));
  if (!document) {
    return std::nullopt;
  }
  std::vector<json::Value> entries;
  if (document->root().is_object()) {
    entries.push_back(document->root());
  }
  for (const json::Value entry : document->root().elements()) {
    entries.push_back(entry);
  }
  std::string highest;  // npm prints them in ascending order
  for (const json::Value entry : entries) {
    std::string version = entry.find("version").string_or("");
    const bool release = version.find('-') == std::string::npos;
    const bool latest = entry.find("dist-tags.latest").equals(version);
    if (is_version(version) && (release || entries.size() == 1)) {
      highest = version;
    }
    if (is_version(version) && latest) {
      return version;
    }
  }
  return highest.empty() ? std::nullopt : std::optional(highest);
}

}  // namespace pi_mcp::servers
