// goose: `extensions` of config.yaml. https://block.github.io/goose/docs/guides/config-files and
// the types of its open source configuration (crates/goose/src/agents/extension.rs).
#include <array>

#include "base/text.h"
#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/values.h"
#include "config/yaml.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view servers_key = "extensions";

constexpr std::array keys = {
    HostKey{.from = "cmd", .becomes = Becomes::key, .to = "command"},
    HostKey{.from = "envs", .becomes = Becomes::key, .to = "env"},
    HostKey{.from = "uri", .becomes = Becomes::key, .to = "url"},
    HostKey{.from = "timeout", .becomes = Becomes::milliseconds, .to = "requestTimeoutMs"},
    HostKey{.from = "available_tools", .becomes = Becomes::key, .to = "includeTools"},
    HostKey{
        .from = "socket", .becomes = Becomes::warning, .to = "pi-mcp speaks HTTP over TCP alone"},
};

// False for an extension that no other program can start.
bool translate_type(ImportReader& reader, RawServer& server) {
  const std::optional<RawField> field = server.fields.take("type");
  const std::string type = field ? field->value().string_or("") : "";
  if (type == "stdio" || type == "sse" || type == "streamable_http") {
    server.fields.set("type", json::quoted(type == "streamable_http" ? "streamable-http" : type));
    return true;
  }
  reader.leave_out(server,
                   type == "inline_python"
                       ? "is Python that goose itself runs"
                       : "is a part of goose (type " + json::quoted(type) + ")");
  return false;
}

// Names of secrets that goose keeps and hands on.
void warn_of_secrets(ImportReader& reader, RawServer& server) {
  std::vector<std::string> missing;
  if (const std::optional<RawField> names = server.fields.take("env_keys")) {
    for (const std::string& name : text_list_of(names->value())) {
      if (!reader.environment().variable(name) && !server.fields.find("env").find(name)) {
        missing.push_back(name);
      }
    }
  }
  if (!missing.empty()) {
    reader.warn(server.origin.path,
                "server \"" + server.name + "\" needs " + text::join(missing, ", ") +
                    " of goose's own secrets; set the environment variable",
                server.name);
  }
}

}  // namespace

std::vector<HostFile> goose_files(const Environment& environment, const FileSource& /*files*/) {
  const bool chosen = !environment.variable("GOOSE_PATH_ROOT").value_or("").empty();
  const std::string folder =
      chosen ? join_path(environment, chosen_folder(environment, "GOOSE_PATH_ROOT", ""), "config")
      : environment.platform == Platform::windows
          ? join_path(environment, application_data(environment), "Block/goose/config")
          : join_path(environment, user_config(environment), "goose");
  return {{.path = join_path(environment, folder, "config.yaml"),
           .format = FileFormat::yaml,
           .members = {{std::string(servers_key)}},
           .ours = true,
           .seen_by = folder}};
}

void import_goose(ImportReader& reader) {
  for (const std::string& path : reader.paths(goose_files)) {
    const std::optional<json::Document> document = reader.read_converted(path, yaml_to_json);
    if (!document) {
      continue;
    }
    for (RawServer& server :
         reader.servers_of(document->root().find(servers_key), servers_key, path)) {
      if (!translate_type(reader, server)) {
        continue;
      }
      for (const std::string_view own : {"name", "display_name", "bundled"}) {
        server.fields.take(own);
      }
      if (server.fields.find("description").equals("")) {
        server.fields.take("description");
      }
      translate_keys(reader, server, keys);
      warn_of_secrets(reader, server);
      // In headers goose puts its variables of the entry too.
      const RawObject env = RawObject::from(server.fields.find("env"));
      translate_dollar_names(server.fields, reader.environment());
      reader.add(std::move(server), [&env](std::string_view token) -> std::optional<std::string> {
        const json::Value value = env.find(token.substr(2, token.size() - 3));
        return token.starts_with("${") && value.is_string() ? std::optional(value.string_or(""))
                                                            : std::nullopt;
      });
    }
  }
}

}  // namespace pi_mcp::config
