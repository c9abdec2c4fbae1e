// Gemini CLI and Qwen Code, a fork of it: `mcpServers` and `mcp` of settings.json.
// https://geminicli.com/docs/tools/mcp-server (keys),
// https://geminicli.com/docs/reference/configuration (files, variables),
// https://geminicli.com/docs/cli/enterprise (system-wide files);
// https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp
#include <algorithm>
#include <array>

#include "base/text.h"
#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/values.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view sign_in = "give it headers, or a requestHeadersCommand that prints them";

constexpr std::array keys = {
    HostKey{.from = "timeout", .becomes = Becomes::key, .to = "requestTimeoutMs"},
    HostKey{.from = "discoveryTimeoutMs", .becomes = Becomes::key, .to = "startupTimeoutMs"},
    HostKey{.from = "versionNegotiation", .becomes = Becomes::key, .to = "protocolVersion"},
    HostKey{.from = "includeTools", .becomes = Becomes::tools},
    HostKey{.from = "tcp", .becomes = Becomes::warning, .to = "pi-mcp speaks no WebSocket"},
    HostKey{.from = "targetAudience", .becomes = Becomes::warning, .to = sign_in},
    HostKey{.from = "targetServiceAccount", .becomes = Becomes::warning, .to = sign_in},
    HostKey{.from = "appResourceMaxBytes", .becomes = Becomes::nothing},
    HostKey{.from = "appResourceTimeoutMs", .becomes = Becomes::nothing},
    HostKey{.from = "extension", .becomes = Becomes::nothing},
};

// true: none of its calls is confirmed.
void translate_trust(RawObject& fields) {
  const std::optional<RawField> trust = fields.take("trust");
  if (trust && trust->value().bool_or(false)) {
    fields.set("approveTools", "false");
  }
}

// httpUrl goes before url, and url before command.
void translate_transport(RawObject& fields) {
  if (fields.find("httpUrl")) {
    fields.take("url");
    fields.take("type");
    rename_key(fields, "httpUrl", "url");
  }
  if (fields.find("url")) {
    fields.take("command");
    fields.take("args");
  }
}

void translate_sign_in(ImportReader& reader, RawServer& server) {
  const std::optional<RawField> provider = server.fields.take("authProviderType");
  if (provider && !provider->value().equals("dynamic_discovery")) {
    reader.warn_unused(server, "authProviderType", sign_in);
  }
  translate_oauth_object(reader, server);
}

bool names(json::Value globs, std::string_view server) {
  return std::ranges::any_of(text_list_of(globs), [server](const std::string& glob) {
    return text::glob_match(glob, server);
  });
}

// `enablement`: what `/mcp disable` keeps, by names in lower case.
bool is_switched_off(json::Value root, json::Value enablement, const std::string& server) {
  const json::Value mcp = root.find("mcp");
  const json::Value kept = enablement.find(text::lower(text::trim(server)));
  return names(mcp.find("excluded"), server) ||
         (mcp.find("allowed").is_array() && !names(mcp.find("allowed"), server)) ||
         !kept.find("enabled").bool_or(true);
}

void import_settings(ImportReader& reader,
                     const std::vector<std::string>& paths,
                     json::Value enablement) {
  for (const std::string& path : paths) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    const json::Value root = document->root();
    if (root.at({"mcp", "serverCommand"})) {
      reader.warn(path,
                  "\"mcp.serverCommand\" is not honoured; give the server an entry in "
                  "\"mcpServers\"");
    }
    for (RawServer& server : reader.servers_of(root.find("mcpServers"), "mcpServers", path)) {
      translate_dollar_names(server.fields, reader.environment());
      translate_transport(server.fields);
      translate_keys(reader, server, keys);
      translate_trust(server.fields);
      translate_sign_in(reader, server);
      if (is_switched_off(root, enablement, server.name)) {
        server.fields.set("disabled", "true");
      }
      reader.add(std::move(server));
    }
  }
}

std::vector<HostFile> settings_in(const Environment& environment, const std::string& folder) {
  return {{.path = join_path(environment, folder, "settings.json"),
           .ours = true,
           .seen_by = folder,
           .allow_list = {"mcp", "allowed"}}};
}

std::string gemini_folder(const Environment& environment) {
  const bool chosen = !environment.variable("GEMINI_CLI_HOME").value_or("").empty();
  return join_path(environment,
                   chosen ? chosen_folder(environment, "GEMINI_CLI_HOME", "") : environment.home,
                   ".gemini");
}

}  // namespace

std::vector<HostFile> gemini_files(const Environment& environment, const FileSource& /*files*/) {
  const auto of_all = [&environment](std::string_view variable, std::string_view usual) {
    const std::string chosen = environment.variable(variable).value_or("");
    return HostFile{.path = chosen.empty() ? std::string(usual) : chosen,
                    .stays = "it is there for all users of this machine"};
  };
  return {of_all("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "/etc/gemini-cli/system-defaults.json"),
          settings_in(environment, gemini_folder(environment)).front(),
          of_all("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "/etc/gemini-cli/settings.json")};
}

void import_gemini(ImportReader& reader) {
  const std::optional<json::Document> enablement = reader.read_json(join_path(
      reader.environment(), gemini_folder(reader.environment()), "mcp-server-enablement.json"));
  // settings.json of all users goes before the user's own; trust decides about a project's.
  import_settings(reader,
                  reader.paths(gemini_files, {".gemini/settings.json"}),
                  enablement ? enablement->root() : json::Value());
}

std::vector<HostFile> qwen_files(const Environment& environment, const FileSource& /*files*/) {
  return settings_in(environment, chosen_folder(environment, "QWEN_HOME", ".qwen"));
}

void import_qwen(ImportReader& reader) {
  import_settings(
      reader, reader.paths(qwen_files, {".qwen/settings.json", ".qwen/settings.local.json"}), {});
}

}  // namespace pi_mcp::config
