// Crush: `mcp` of crush.json. https://github.com/charmbracelet/crush (README.md, docs/config,
// schema.json)
#include <array>

#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"

namespace pi_mcp::config {
namespace {

constexpr std::array keys = {
    HostKey{.from = "timeout", .becomes = Becomes::milliseconds, .to = "startupTimeoutMs"},
    HostKey{.from = "enabled_tools", .becomes = Becomes::key, .to = "includeTools"},
    HostKey{.from = "disabled_tools", .becomes = Becomes::key, .to = "excludeTools"},
    HostKey{.from = "oauth_client_id", .becomes = Becomes::oauth, .to = "clientId"},
    HostKey{.from = "oauth_client_secret", .becomes = Becomes::oauth, .to = "clientSecret"},
    HostKey{.from = "oauth_callback_port", .becomes = Becomes::oauth, .to = "callbackPort"},
    HostKey{.from = "oauth_token", .becomes = Becomes::nothing},
};

// Its values run through a shell; ours do not.
void warn_of_shell(ImportReader& reader, const RawServer& server) {
  if (server.fields.text().find("$(") != std::string::npos) {
    reader.warn_unused(
        server, "$(...)", "in pi-mcp's own file \"!COMMAND\" is a value that a command prints");
  }
}

}  // namespace

std::vector<HostFile> crush_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = environment.variable("CRUSH_GLOBAL_CONFIG").value_or("").empty()
                                 ? join_path(environment, user_config(environment), "crush")
                                 : chosen_folder(environment, "CRUSH_GLOBAL_CONFIG", "");
  return {{.path = join_path(environment, folder, "crush.json"),
           .members = {{"mcp"}},
           .ours = true,
           .seen_by = folder}};
}

void import_crush(ImportReader& reader) {
  for (const std::string& path : reader.paths(crush_files, {"crush.json", ".crush.json"})) {
    const Environment& environment = reader.environment();
    const std::string script = join_path(environment, parent_path(environment, path), "crushrc");
    if (reader.files().is_file(script)) {
      reader.warn(script,
                  "is a script of Bash, and the servers that it adds are not read; only "
                  "those of crush.json are");
    }
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    for (RawServer& server : reader.servers_of(document->root().find("mcp"), "mcp", path)) {
      translate_dollar_names(server.fields, environment);
      translate_keys(reader, server, keys);
      warn_of_shell(reader, server);
      reader.add(std::move(server));
    }
  }
}

}  // namespace pi_mcp::config
