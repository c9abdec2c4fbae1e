// Codex: [mcp_servers.NAME] tables of config.toml.
// https://developers.openai.com/codex/mcp and the types of its open source configuration.
#include <cmath>

#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/toml.h"
#include "config/trust/host_answers.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// A number of seconds as milliseconds.
void seconds_to_milliseconds(RawObject& fields, std::string_view from, std::string_view to) {
  const std::optional<double> seconds = fields.find(from).as_double();
  if (seconds && *seconds >= 0) {
    fields.take(from);
    json::Writer writer;
    writer.number(std::ceil(*seconds * 1000));
    fields.set(to, writer.take());
  }
}

void translate_timeouts(RawObject& fields) {
  seconds_to_milliseconds(fields, "tool_timeout_sec", "requestTimeoutMs");
  seconds_to_milliseconds(fields, "startup_timeout_sec", "startupTimeoutMs");
  rename_key(fields, "startup_timeout_ms", "startupTimeoutMs");
}

void translate_tools(RawObject& fields) {
  // An empty list allows nothing in Codex; for us an empty includeTools would allow everything.
  if (fields.find("enabled_tools").raw() == "[]") {
    fields.take("enabled_tools");
    fields.set("excludeTools", R"(["*"])");
  }
  rename_key(fields, "enabled_tools", "includeTools");
  rename_key(fields, "disabled_tools", "excludeTools");
}

// Tools that ask first: all of them, or those with an approval_mode of their own.
void translate_approvals(RawObject& fields) {
  const bool all = fields.find("default_tools_approval_mode").equals("prompt");
  json::Writer names;
  names.begin_array();
  for (const json::Member member : fields.find("tools").members()) {
    if (member.value.find("approval_mode").equals("prompt")) {
      names.string(member.name());
    }
  }
  names.end_array();
  if (all || names.text() != "[]") {
    fields.set("approveTools", all ? "true" : names.take());
  }
}

void translate_headers(RawObject& fields) {
  rename_key(fields, "http_headers", "headers");
  const std::optional<RawField> from_env = fields.take("env_http_headers");
  if (!from_env) {
    return;
  }
  RawObject headers = RawObject::from(fields.find("headers"));
  for (const json::Member member : from_env->value().members()) {
    if (!headers.find(member.name())) {
      headers.set(member.name(), json::quoted("$env:" + member.value.string_or("")));
    }
  }
  fields.set("headers", headers.text());
}

void translate_credentials(RawObject& fields) {
  rename_key(fields, "bearer_token_env_var", "bearerTokenEnv");
  rename_key(fields, "bearer_token", "bearerToken");
  if (fields.find("bearerTokenEnv") || fields.find("bearerToken")) {
    fields.set("auth", R"("bearer")");
  }
  RawObject oauth = RawObject::from(fields.find("oauth"));
  rename_key(oauth, "client_id", "clientId");
  if (const std::optional<RawField> scopes = fields.take("scopes")) {
    oauth.set("scope", json::quoted(scope_text(scopes->value())));
  }
  if (!oauth.empty()) {
    fields.set("oauth", oauth.text());
  }
}

void translate(RawObject& fields) {
  fields.take("name");      // an old display name
  fields.take("env_vars");  // names to pass on from our environment, all of which a server gets
  translate_timeouts(fields);
  translate_tools(fields);
  translate_approvals(fields);
  translate_headers(fields);
  translate_credentials(fields);
}

void add_servers(ImportReader& reader,
                 json::Value root,
                 std::string_view key,
                 const std::string& path) {
  for (RawServer& server : reader.servers_of(root.find(key), key, path)) {
    translate(server.fields);
    reader.add(std::move(server));
  }
}

}  // namespace

std::vector<HostFile> codex_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = chosen_folder(environment, "CODEX_HOME", ".codex");
  // Older versions wrote JSON.
  return {{.path = join_path(environment, folder, "config.json")},
          {.path = join_path(environment, folder, "config.toml"),
           .format = FileFormat::toml,
           .members = {{"mcp_servers"}},
           .ours = true,
           .seen_by = folder}};
}

void import_codex(ImportReader& reader) {
  const std::vector<std::string> paths = reader.paths(codex_files);
  const std::string& old_path = paths.front();
  const std::string& path = paths.back();
  if (const std::optional<json::Document> old = reader.read_json(old_path)) {
    add_servers(reader, old->root(), "mcpServers", old_path);
  }
  const std::optional<json::Document> user = reader.read_converted(path, toml_to_json);
  if (!user) {
    return;
  }
  add_servers(reader, user->root(), "mcp_servers", path);
  // What the user has refused there is not even asked about here.
  const std::string project_path = reader.project(".codex/config.toml");
  const std::vector<json::Value> said =
      projects_of(user->root(), reader.folders_of(project_path), reader.files());
  if (said.empty() || !said.front().find("trust_level").equals("untrusted")) {
    if (const std::optional<json::Document> project =
            reader.read_converted(project_path, toml_to_json)) {
      add_servers(reader, project->root(), "mcp_servers", project_path);
    }
  }
}

}  // namespace pi_mcp::config
