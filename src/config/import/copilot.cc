// GitHub Copilot CLI: mcp-config.json, and `disabledMcpServers` of settings.json.
// https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference
// https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
#include <array>

#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/values.h"

namespace pi_mcp::config {
namespace {

constexpr std::array keys = {
    HostKey{.from = "timeout", .becomes = Becomes::key, .to = "requestTimeoutMs"},
    HostKey{.from = "tools", .becomes = Becomes::tools},
    HostKey{.from = "oauthClientId", .becomes = Becomes::oauth, .to = "clientId"},
    HostKey{.from = "oauthScopes", .becomes = Becomes::oauth, .to = "scope"},
    HostKey{.from = "oauthGrantType", .becomes = Becomes::oauth, .to = "grantType"},
    HostKey{.from = "oidc",
            .becomes = Becomes::warning,
            .to = "give it headers, or a requestHeadersCommand that prints them"},
    HostKey{.from = "deferTools", .becomes = Becomes::nothing},
    HostKey{.from = "disableToolCache", .becomes = Becomes::nothing},
    HostKey{.from = "slowConnectionThresholdMs", .becomes = Becomes::nothing},
    HostKey{.from = "filterMapping", .becomes = Becomes::nothing},
};

// A confidential client's secret is in Copilot's own store.
void translate_client(ImportReader& reader, RawServer& server) {
  const std::optional<RawField> is_public = server.fields.take("oauthPublicClient");
  if (is_public && is_public->value().raw() == "false") {
    reader.warn_unused(
        server, "oauthPublicClient", "add the client's secret as \"oauth\": {\"clientSecret\"}");
  }
}

std::string folder_of(const Environment& environment) {
  return chosen_folder(environment, "COPILOT_HOME", ".copilot");
}

}  // namespace

std::vector<HostFile> copilot_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = folder_of(environment);
  return {
      {.path = join_path(environment, folder, "mcp-config.json"), .ours = true, .seen_by = folder}};
}

// Its other file of a project, .mcp.json, is read as one of ours.
void import_copilot(ImportReader& reader) {
  for (const std::string& path : reader.paths(copilot_files, {".github/mcp.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    for (RawServer& server :
         reader.servers_of(document->root().find("mcpServers"), "mcpServers", path)) {
      translate_dollar_names(server.fields, reader.environment());
      translate_keys(reader, server, keys);
      translate_client(reader, server);
      reader.add(std::move(server));
    }
  }
  const std::optional<json::Document> settings = reader.read_json(
      join_path(reader.environment(), folder_of(reader.environment()), "settings.json"));
  if (settings) {
    reader.disable(text_list_of(settings->root().find("disabledMcpServers")));
  }
}

}  // namespace pi_mcp::config
