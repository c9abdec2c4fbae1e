// Zed: `context_servers` of settings.json. https://zed.dev/docs/ai/mcp and the types of its open
// source settings (crates/settings_content).
#include <array>

#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view servers_key = "context_servers";

constexpr std::array keys = {
    HostKey{.from = "timeout", .becomes = Becomes::milliseconds, .to = "requestTimeoutMs"},
    HostKey{.from = "remote",
            .becomes = Becomes::warning,
            .to = "servers run on the machine of pi-mcp"},
};

// Older versions: {"path", "args", "env"} under `command`.
void flatten_command(RawObject& fields) {
  if (!fields.find("command").is_object()) {
    return;
  }
  const std::optional<RawField> command = fields.take("command");
  for (const json::Member member : command->value().members()) {
    fields.set(member.name() == "path" ? "command" : member.name(),
               std::string(member.value.raw()));
  }
}

}  // namespace

std::vector<HostFile> zed_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = environment.platform == Platform::linux_
                                 ? join_path(environment, user_config(environment), "zed")
                             : environment.platform == Platform::windows
                                 ? join_path(environment, application_data(environment), "Zed")
                                 : join_path(environment, environment.home, ".config/zed");
  return {{.path = join_path(environment, folder, "settings.json"),
           .members = {{std::string(servers_key)}},
           .ours = true,
           .seen_by = folder}};
}

void import_zed(ImportReader& reader) {
  for (const std::string& path : reader.paths(zed_files, {".zed/settings.json"})) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const json::Value root = document->root();
    const json::Value timeout = root.find("context_server_timeout");
    for (RawServer& server : reader.servers_of(root.find(servers_key), servers_key, path)) {
      flatten_command(server.fields);
      server.fields.take("source");
      if (!server.fields.find("command") && !server.fields.find("url")) {
        reader.leave_out(server, "is an extension of Zed, which keeps its program to itself");
        continue;
      }
      if (timeout && !server.fields.find("timeout")) {
        server.fields.set("timeout", std::string(timeout.raw()));
      }
      translate_keys(reader, server, keys);
      translate_oauth(
          server.fields, "oauth", {.id = "client_id", .secret = "client_secret", .scope = "scope"});
      reader.add(std::move(server));
    }
  }
}

}  // namespace pi_mcp::config
