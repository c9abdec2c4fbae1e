// Cursor and Windsurf: both keep `mcpServers` and add a few keys of their own.
#include <array>

#include "config/import/reader.h"
#include "config/parse.h"
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

}  // namespace

// https://cursor.com/docs/context/mcp
void import_cursor(ImportReader& reader) {
  for (const std::string& path :
       {reader.home(".cursor/mcp.json"), reader.project(".cursor/mcp.json")}) {
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

// https://docs.windsurf.com/windsurf/cascade/mcp; the first path is the one the reference adapter
// reads, the second belongs to Windsurf's plugins for other editors.
void import_windsurf(ImportReader& reader) {
  const std::array<std::string, 3> paths = {reader.home(".windsurf/mcp.json"),
                                            reader.home(".codeium/mcp_config.json"),
                                            reader.home(".codeium/windsurf/mcp_config.json")};
  for (const std::string& path : paths) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const std::string_view key = servers_key(document->root());
    for (RawServer& server : reader.servers_of(document->root().find(key), key, path)) {
      rename_key(server.fields, "serverUrl", "url");
      rename_key(server.fields, "disabledTools", "excludeTools");
      reader.add(std::move(server), reader.file_lookup("${file:", path));
    }
  }
}

}  // namespace pi_mcp::config
