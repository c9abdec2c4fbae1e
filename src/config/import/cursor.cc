// Cursor: `mcpServers` and a few keys of its own.
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/parse.h"
#include "config/paths.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Cursor: "auth": {"CLIENT_ID": ..., "CLIENT_SECRET": ..., "scopes": [...]}.
void translate_cursor_auth(RawObject& fields) {
  if (translate_oauth(
          fields, "auth", {.id = "CLIENT_ID", .secret = "CLIENT_SECRET", .scope = "scopes"})) {
    fields.set("auth", R"("oauth")");
  }
}

// servers_key() as places in a file.
const std::vector<std::vector<std::string>> servers_members = {{"mcpServers"}, {"mcp-servers"}};

}  // namespace

// https://cursor.com/docs/context/mcp
std::vector<HostFile> cursor_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = join_path(environment, environment.home, ".cursor");
  return {{.path = join_path(environment, folder, "mcp.json"),
           .members = servers_members,
           .ours = true,
           .seen_by = folder}};
}

void import_cursor(ImportReader& reader) {
  for (const std::string& path : reader.paths(cursor_files, {".cursor/mcp.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const std::string_view key = servers_key(document->root());
    for (RawServer& server : reader.servers_of(document->root().find(key), key, path)) {
      translate_cursor_auth(server.fields);
      reader.apply_env_file(server);
      reader.add(std::move(server));
    }
  }
}

}  // namespace pi_mcp::config
