// Continue: the list `mcpServers` of config.yaml and of files in a project's .continue/mcpServers.
// https://docs.continue.dev/customize/deep-dives/mcp, https://docs.continue.dev/reference and the
// types of its open source configuration (packages/config-yaml/src/schemas/mcp).
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "config/import/host_keys.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/project/project_files.h"
#include "config/yaml.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view servers_key = "mcpServers";

constexpr std::array keys = {
    HostKey{.from = "connectionTimeout", .becomes = Becomes::key, .to = "startupTimeoutMs"},
    HostKey{.from = "serverName", .becomes = Becomes::nothing},
    HostKey{.from = "faviconUrl", .becomes = Becomes::nothing},
    HostKey{.from = "sourceFile", .becomes = Becomes::nothing},
};

// The list as the object that other hosts have.
std::string as_map(ImportReader& reader, json::Value list, const std::string& path) {
  RawObject map;
  for (const json::Value element : list.elements()) {
    const std::string name = element.find("name").string_or("");
    const bool is_large = element.raw().size() > project_entry_bytes_max;
    if (reader.is_project_file(path) && (name.empty() || is_large)) {
      continue;  // its words are not heard
    }
    RawObject entry = RawObject::from(element);
    entry.take("name");
    if (name.empty()) {
      const std::string uses = element.find("uses").string_or("");
      reader.warn(path,
                  uses.empty() ? "an entry of \"mcpServers\" without a name is left out"
                               : "\"uses: " + uses +
                                     "\" names a server of Continue's hub and is left out; write "
                                     "out its command or url");
    } else {
      map.set(name, entry.text());
    }
  }
  return map.text();
}

// ${{ secrets.NAME }} and ${{ inputs.NAME }} as ${NAME}.
std::string with_variables(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find("${{");
    const std::size_t close = text.find("}}", open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
      break;
    }
    const std::string_view inside = text::trim(text.substr(open + 3, close - open - 3));
    out += text.substr(0, open);
    out += "${" + std::string(inside.substr(inside.rfind('.') + 1)) + "}";
    text.remove_prefix(close + 2);
  }
  return out.append(text);
}

void translate_request_options(ImportReader& reader, RawServer& server) {
  const std::optional<RawField> field = server.fields.take("requestOptions");
  const json::Value options = field ? field->value() : json::Value();
  for (const json::Member option : options.members()) {
    const std::string name = option.name();
    if (name == "headers") {
      server.fields.set("headers", std::string(option.value.raw()));
    } else if (name == "caBundlePath" && option.value.is_string()) {
      server.fields.set("caFile", std::string(option.value.raw()));
    } else if (option.value.raw() != "true") {
      reader.warn_unused(server,
                         "requestOptions." + name,
                         "pi-mcp has \"headers\" and \"caFile\", and takes proxies from the "
                         "environment");
    }
  }
}

std::string folder_of(const Environment& environment) {
  return chosen_folder(environment, "CONTINUE_GLOBAL_DIR", ".continue");
}

// What Continue knows as secrets on this machine.
std::map<std::string, std::string> secrets(ImportReader& reader) {
  const std::string path = join_path(reader.environment(), folder_of(reader.environment()), ".env");
  std::map<std::string, std::string> values;
  const std::optional<std::string> text = reader.files().read(path).value_or(std::nullopt);
  for (const RawField& field : parse_env_file(text.value_or(""))) {
    values[field.key] = field.value().string_or("");
  }
  return values;
}

// The files of the project, in the order of their names.
std::vector<std::string> project_files(ImportReader& reader) {
  const std::string folder = reader.project(".continue/mcpServers");
  constexpr std::size_t files_max = 100;
  std::vector<std::string> names = reader.files().names_in(folder);
  std::ranges::sort(names);
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (paths.size() == files_max) {
      break;
    }
    if (name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json")) {
      paths.push_back(join_path(reader.environment(), folder, name));
      reader.note_project_file(paths.back());
    }
  }
  return paths;
}

void import_file(ImportReader& reader,
                 const std::string& path,
                 const std::map<std::string, std::string>& values) {
  const std::optional<json::Document> document =
      path.ends_with(".json") ? reader.read_json(path) : reader.read_converted(path, yaml_to_json);
  if (!document) {
    return;
  }
  const json::Value written = document->root().find(servers_key);
  const json::Document map =
      parse_trusted(written.is_array() ? as_map(reader, written, path) : json::compact(written));
  for (RawServer& server : reader.servers_of(map.root(), servers_key, path)) {
    translate_request_options(reader, server);
    translate_keys(reader, server, keys);
    RawObject fields;
    for (const RawField& field : server.fields.fields()) {
      fields.set(field.key, rewrite_strings(field.value(), [](const std::string& text) {
                   return with_variables(text);
                 }));
    }
    server.fields = std::move(fields);
    const bool is_project = server.origin.project;
    const auto value_of = [&](std::string_view token) -> std::optional<std::string> {
      const std::string name =
          token.starts_with("${") ? std::string(token.substr(2, token.size() - 3)) : "";
      const auto found = values.find(name);
      return found == values.end() || is_project || reader.environment().variable(name)
                 ? std::nullopt
                 : std::optional(found->second);
    };
    reader.add(std::move(server), value_of);
  }
}

}  // namespace

std::vector<HostFile> continue_files(const Environment& environment, const FileSource& /*files*/) {
  const std::string folder = folder_of(environment);
  return {{.path = join_path(environment, folder, "config.yaml"),
           .format = FileFormat::yaml,
           .is_list = true,
           .ours = true,
           .seen_by = folder}};
}

void import_continue(ImportReader& reader) {
  const std::map<std::string, std::string> values = secrets(reader);
  std::vector<std::string> paths = reader.paths(continue_files);
  std::ranges::move(project_files(reader), std::back_inserter(paths));
  for (const std::string& path : paths) {
    import_file(reader, path, values);
  }
}

}  // namespace pi_mcp::config
