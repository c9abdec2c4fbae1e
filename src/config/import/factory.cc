// Factory's droid: mcp.json. https://docs.factory.ai/cli/configuration/mcp
#include <array>

#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"

namespace pi_mcp::config {
namespace {

constexpr std::array keys = {
    HostKey{.from = "timeoutMs", .becomes = Becomes::key, .to = "requestTimeoutMs"},
    HostKey{.from = "enabledTools", .becomes = Becomes::tools},
    HostKey{.from = "disabledTools", .becomes = Becomes::key, .to = "excludeTools"},
};

}  // namespace

std::vector<HostFile> factory_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = join_path(environment, environment.home, ".factory");
  return {{.path = join_path(environment, folder, "mcp.json"), .ours = true, .seen_by = folder}};
}

void import_factory(ImportReader& reader) {
  for (const std::string& path : reader.paths(factory_files, {".factory/mcp.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    for (RawServer& server :
         reader.servers_of(document->root().find("mcpServers"), "mcpServers", path)) {
      translate_keys(reader, server, keys);
      translate_oauth_object(reader, server);
      reader.add(std::move(server));
    }
  }
}

}  // namespace pi_mcp::config
