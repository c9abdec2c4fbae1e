#include "doctor/hosts.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/edit.h"
#include "config/import/hosts.h"
#include "config/import/imports.h"
#include "config/merge.h"
#include "config/server.h"
#include "doctor/program.h"
#include "io/files/file.h"
#include "io/process/executable.h"
#include "io/process/kernel.h"
#include "io/process/run_command.h"

namespace pi_mcp::doctor {
namespace {

constexpr Milliseconds version_max{5000};
constexpr std::size_t programs_max = 20;

// The same program with the same arguments, or the same address.
bool is_same(const config::Server& ours, const config::Server& theirs) {
  return ours.url ? ours.url == theirs.url
                  : ours.command && ours.command == theirs.command && ours.args == theirs.args;
}

bool is_ours_too(const config::Settings& settings, const config::Server& theirs) {
  return std::ranges::any_of(settings.servers, [&theirs](const config::Server& ours) {
    return !ours.disabled && is_same(ours, theirs);
  });
}

config::Imported imported(std::string_view kind, const Place& place) {
  std::vector<config::Warning> warnings;  // load() has said them, where the host is imported
  return config::read_import(kind,
                             {.environment = place.environment,
                              .files = place.files,
                              .warnings = warnings,
                              .is_allowed = [](const config::RawServer&) {
                                return false;
                              }});
}

std::vector<config::Server> servers_of(std::vector<config::RawServer> raws, const Place& place) {
  std::vector<config::Server> servers;
  for (config::RawServer& raw : raws) {
    servers.push_back(config::make_server(
        {.name = raw.name, .fields = std::move(raw.fields), .origin = raw.origin}, place.settings));
    servers.back().origin = raw.origin;
  }
  return servers;
}

void add_program(const Result<std::string>& found, std::string by, std::vector<OtherProgram>& out) {
  if (!found) {
    return;
  }
  const std::string path = io::canonical_path(*found);
  const bool is_known = path == io::canonical_path(io::own_program()) ||
                        std::ranges::any_of(out, [&path](const OtherProgram& other) {
                          return io::canonical_path(other.path) == path;
                        });
  if (!is_known && out.size() < programs_max) {
    out.push_back({.path = *found, .version = {}, .by = std::move(by)});
  }
}

io::Task<std::string> version_of(std::string path, config::Environment environment) {
  const Result<io::CommandOutput> output =
      co_await io::run_command({.program = std::move(path),
                                .arguments = {"--version"},
                                .environment = environment.variables,
                                .folder = "/"},
                               {.time_max = version_max});
  const std::vector<std::string_view> words =
      output ? text::words(output->text) : std::vector<std::string_view>();
  const bool is_ours = words.size() > 1 && words.front() == "pi-mcp";
  co_return is_ours ? std::string(words[1]) : std::string();
}

}  // namespace

std::vector<HostFacts> look_at_hosts(const Place& place) {
  std::vector<HostFacts> hosts;
  for (const std::string& kind : config::import_kinds()) {
    std::vector<config::Server> servers = servers_of(imported(kind, place).servers, place);
    std::erase_if(servers, [](const config::Server& server) { return server.disabled; });
    std::vector<HostFacts::Entry> twice;
    for (const config::Server& server : servers) {
      if (!config::starts_this_program(server) && is_ours_too(place.settings, server)) {
        twice.push_back({.name = server.name, .path = server.origin.path});
      }
    }
    for (const config::Server& ours : servers) {
      if (!config::starts_this_program(ours)) {
        continue;
      }
      const std::string command = ours.command.value_or("");
      const auto is_known = [&](const HostFacts& host) {
        return host.path == ours.origin.path && host.command == command;
      };
      if (std::ranges::any_of(hosts, is_known)) {
        continue;  // the same would be said of it
      }
      hosts.push_back({.kind = kind,
                       .path = ours.origin.path,
                       .command = command,
                       .is_lost = config::is_lost_program(command, place.files),
                       .twice = std::exchange(twice, {})});
    }
  }
  return hosts;
}

std::vector<StaleImport> look_for_stale_imports(const Place& place) {
  const std::string path =
      config::target_file(place.environment, place.options, config::Target::global);
  const std::string text = place.files.read(path).value_or(std::nullopt).value_or("");
  std::vector<StaleImport> stale;
  for (const config::Host& host : config::hosts()) {
    const std::string kind(host.kind);
    if (host.read == nullptr || config::remove_import(text, kind).value_or(text) == text) {
      continue;
    }
    const config::Imported found = imported(kind, place);
    // With our own entry there it brings the files of projects (docs/decisions/0046-setup.md).
    const bool is_empty =
        found.servers.empty() && found.waiting.empty() && found.left_out.empty() &&
        std::ranges::all_of(found.files, &std::string::empty, &config::ImportedFile::problem);
    if (is_empty) {
      stale.push_back({.kind = kind, .name = std::string(host.name), .path = path});
    }
  }
  return stale;
}

io::Task<std::vector<OtherProgram>> look_for_other_programs(config::Environment environment,
                                                            std::vector<HostFacts> hosts) {
  std::vector<OtherProgram> programs;
  for (const HostFacts& host : hosts) {
    if (config::program_name(host.command) == "pi-mcp") {
      add_program(io::find_executable(host.command, environment.variables, environment.cwd),
                  host.path,
                  programs);
    }
  }
  const auto path = environment.variables.find("PATH");
  const std::string searched =
      (path == environment.variables.end() ? "" : path->second + ":") + desktop_path(environment);
  for (const std::string_view folder : text::split(searched, ':')) {
    if (folder.starts_with('/')) {
      add_program(io::find_executable(std::string(folder) + "/pi-mcp", {}, "/"), "", programs);
    }
  }
  for (OtherProgram& program : programs) {
    program.version = co_await version_of(program.path, environment);
  }
  std::erase_if(programs, [](const OtherProgram& program) { return program.version.empty(); });
  co_return programs;
}

}  // namespace pi_mcp::doctor
