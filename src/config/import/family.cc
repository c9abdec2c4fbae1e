// Hosts that keep `mcpServers` in JSON and differ from us in a few keys, of which each has a table:
// Windsurf, Cline, Roo Code, Kiro, Amazon Q, LM Studio and Junie.
#include <algorithm>
#include <array>
#include <span>

#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/parse.h"
#include "config/paths.h"

namespace pi_mcp::config {
namespace {

void read_family(ImportReader& reader,
                 const std::vector<std::string>& paths,
                 std::span<const HostKey> keys,
                 bool has_file_references = false) {
  for (const std::string& path : paths) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const std::string_view map = servers_key(document->root());
    for (RawServer& server : reader.servers_of(document->root().find(map), map, path)) {
      translate_keys(reader, server, keys);
      const VariableLookup lookup =
          has_file_references ? reader.file_lookup("${file:", server) : VariableLookup();
      reader.add(std::move(server), lookup);
    }
  }
}

// servers_key() as places in a file.
const std::vector<std::vector<std::string>> family_members = {{"mcpServers"}, {"mcp-servers"}};

// An extension's files in each of the editors that run extensions of VS Code.
std::vector<HostFile> extension_files(const Environment& environment,
                                      std::string_view extension,
                                      std::string_view file) {
  std::vector<HostFile> files;
  for (const std::string_view editor :
       {"VSCodium", "Code - Insiders", "Windsurf", "Cursor", "Code"}) {
    const std::string folder =
        join_path(environment,
                  join_path(environment, application_data(environment), editor),
                  "User/globalStorage/" + std::string(extension));
    files.push_back({.path = join_path(environment, folder, "settings/" + std::string(file)),
                     .members = family_members,
                     .ours = true,
                     .seen_by = folder});
  }
  return files;
}

HostFile home_file(const Environment& environment,
                   std::string_view folder,
                   std::string_view relative) {
  const std::string seen_by = join_path(environment, environment.home, folder);
  return {.path = join_path(environment, seen_by, relative),
          .members = family_members,
          .ours = true,
          .seen_by = seen_by};
}

// The files of JSON in a folder, in the order of their names. The folder may be a stranger's.
constexpr std::size_t files_max = 100;
std::vector<std::string> json_files_in(const Environment& environment,
                                       const FileSource& files,
                                       const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& name : files.names_in(folder)) {
    if (name.ends_with(".json")) {
      paths.push_back(join_path(environment, folder, name));
    }
  }
  std::ranges::sort(paths);
  paths.resize(std::min(paths.size(), files_max));
  return paths;
}

}  // namespace

// https://docs.windsurf.com/windsurf/cascade/mcp; the first path is the one the reference adapter
// reads, the second belongs to Windsurf's plugins for other editors.
std::vector<HostFile> windsurf_files(const Environment& environment, const FileSource& /*files*/) {
  HostFile adapter = home_file(environment, ".windsurf", "mcp.json");
  adapter.ours = false;
  HostFile plugins = home_file(environment, ".codeium", "mcp_config.json");
  plugins.seen_by.clear();
  return {adapter, plugins, home_file(environment, ".codeium/windsurf", "mcp_config.json")};
}

void import_windsurf(ImportReader& reader) {
  constexpr std::array keys = {
      HostKey{.from = "serverUrl", .becomes = Becomes::key, .to = "url"},
      HostKey{.from = "disabledTools", .becomes = Becomes::key, .to = "excludeTools"},
      HostKey{.from = "alwaysAllow", .becomes = Becomes::approval},
  };
  read_family(reader, reader.paths(windsurf_files), keys, true);
}

// https://docs.cline.bot/mcp/mcp-overview; keys and places that are not there: the schemas and
// paths of github.com/cline/cline. One file serves its command line and its extensions; those of
// earlier versions had their own.
std::vector<HostFile> cline_files(const Environment& environment, const FileSource& /*files*/) {
  std::vector<HostFile> files =
      extension_files(environment, "saoudrizwan.claude-dev", "cline_mcp_settings.json");
  for (HostFile& file : files) {
    file.seen_by.clear();
  }
  const std::string folder = chosen_folder(environment, "CLINE_DIR", ".cline");
  files.push_back({.path = join_path(environment, folder, "mcp.json")});
  const std::string data = environment.variable("CLINE_DATA_DIR").value_or("");
  const std::string shared = environment.variable("CLINE_MCP_SETTINGS_PATH").value_or("");
  const std::string usual = join_path(environment,
                                      data.empty() ? join_path(environment, folder, "data") : data,
                                      "settings/cline_mcp_settings.json");
  files.push_back(
      {.path = absolute_path(environment, environment.cwd, shared.empty() ? usual : shared),
       .ours = true,
       .seen_by = folder});
  return files;
}

void import_cline(ImportReader& reader) {
  constexpr std::array keys = {
      HostKey{.from = "transport", .becomes = Becomes::members},
      HostKey{.from = "transportType", .becomes = Becomes::key, .to = "type"},
      HostKey{.from = "timeout", .becomes = Becomes::milliseconds, .to = "requestTimeoutMs"},
      HostKey{.from = "autoApprove", .becomes = Becomes::approval},
      HostKey{.from = "oauth", .becomes = Becomes::nothing},  // its tokens
      HostKey{.from = "oauthClient", .becomes = Becomes::key, .to = "oauth"},
      HostKey{.from = "metadata", .becomes = Becomes::nothing},
      HostKey{.from = "remoteConfigured", .becomes = Becomes::nothing},
  };
  read_family(reader, reader.paths(cline_files), keys);
}

// https://docs.roocode.com/features/mcp/using-mcp-in-roo
std::vector<HostFile> roo_code_files(const Environment& environment, const FileSource& /*files*/) {
  return extension_files(environment, "rooveterinaryinc.roo-cline", "mcp_settings.json");
}

void import_roo_code(ImportReader& reader) {
  constexpr std::array keys = {
      HostKey{.from = "timeout", .becomes = Becomes::milliseconds, .to = "requestTimeoutMs"},
      HostKey{.from = "alwaysAllow", .becomes = Becomes::approval},
      HostKey{.from = "disabledTools", .becomes = Becomes::key, .to = "excludeTools"},
      HostKey{.from = "watchPaths",
              .becomes = Becomes::warning,
              .to = "reconnect the server when its files have changed"},
  };
  read_family(reader, reader.paths(roo_code_files, {".roo/mcp.json"}), keys);
}

// https://kiro.dev/docs/mcp/configuration and https://kiro.dev/docs/cli/mcp/configuration
std::vector<HostFile> kiro_files(const Environment& environment, const FileSource& /*files*/) {
  return {home_file(environment, ".kiro", "settings/mcp.json")};
}

namespace {

// Kiro's command line was Amazon Q's.
constexpr std::array amazon_keys = {
    HostKey{.from = "timeout", .becomes = Becomes::key, .to = "requestTimeoutMs"},
    HostKey{.from = "initializationTimeout", .becomes = Becomes::key, .to = "startupTimeoutMs"},
    HostKey{.from = "autoApprove", .becomes = Becomes::approval},
    HostKey{.from = "disabledTools", .becomes = Becomes::key, .to = "excludeTools"},
    HostKey{.from = "oauth", .becomes = Becomes::listener},
    HostKey{.from = "oauthScopes", .becomes = Becomes::oauth, .to = "scope"},
};

}  // namespace

void import_kiro(ImportReader& reader) {
  read_family(reader, reader.paths(kiro_files, {".kiro/settings/mcp.json"}), amazon_keys);
}

// https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/mcp-ide.html and
// command-line-mcp-configuration.html there; agents: agent-format.md and agent-file-locations.md of
// github.com/aws/amazon-q-developer-cli, and what github.com/aws/language-servers reads.
std::vector<HostFile> amazon_q_files(const Environment& environment, const FileSource& files) {
  std::vector<HostFile> found = {home_file(environment, ".aws/amazonq", "mcp.json")};
  const std::string folder = found[0].seen_by;
  for (const std::string_view agents : {"cli-agents", "agents"}) {
    for (std::string& path :
         json_files_in(environment, files, join_path(environment, folder, agents))) {
      found.push_back({.path = std::move(path)});
    }
  }
  found.push_back({.path = join_path(environment, folder, "default.json")});
  return found;
}

void import_amazon_q(ImportReader& reader) {
  std::vector<std::string> paths = reader.paths(amazon_q_files, {".amazonq/mcp.json"});
  for (const std::string_view agents : {".amazonq/cli-agents", ".amazonq/agents"}) {
    for (std::string& path :
         json_files_in(reader.environment(),
                       reader.files(),
                       join_path(reader.environment(), reader.environment().cwd, agents))) {
      reader.note_project_file(path);
      paths.push_back(std::move(path));
    }
  }
  paths.push_back(reader.project(".amazonq/default.json"));
  read_family(reader, paths, amazon_keys, true);
}

// https://lmstudio.ai/docs/app/mcp; installations that began as 0.3.16 or older have the second
// folder.
std::vector<HostFile> lm_studio_files(const Environment& environment, const FileSource& /*files*/) {
  HostFile old = home_file(environment, ".cache/lm-studio", "mcp.json");
  old.seen_by.clear();
  return {old, home_file(environment, ".lmstudio", "mcp.json")};
}

void import_lm_studio(ImportReader& reader) {
  read_family(reader, reader.paths(lm_studio_files), {});
}

// https://junie.jetbrains.com/docs/junie-cli-mcp-configuration.html
std::vector<HostFile> junie_files(const Environment& environment, const FileSource& /*files*/) {
  return {home_file(environment, ".junie", "mcp/mcp.json")};
}

void import_junie(ImportReader& reader) {
  read_family(reader, reader.paths(junie_files, {".junie/mcp/mcp.json"}), {});
}

}  // namespace pi_mcp::config
