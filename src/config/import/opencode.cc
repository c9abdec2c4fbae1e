// opencode: the member `mcp` of its JSON files, in the form of its versions 1 and 2.
// https://opencode.ai/docs/mcp-servers and https://opencode.ai/v2/docs/mcp-servers
#include <algorithm>

#include "base/text.h"
#include "config/import/hosts.h"
#include "config/import/reader.h"
#include "config/parse.h"
#include "config/paths.h"
#include "json/writer.h"

namespace pi_mcp::config {

std::vector<HostFile> opencode_files(const Environment& environment, const FileSource& files);

namespace {

// ["npx", "-y", "x"] is command and args in one.
void translate_command(RawObject& fields) {
  if (!fields.find("command").is_array()) {
    return;
  }
  std::vector<std::string> words;
  for (const json::Value element : fields.find("command").elements()) {
    words.emplace_back(element.raw());
  }
  fields.set("command", words.empty() ? R"("")" : words[0]);
  words.erase(words.begin(), words.begin() + (words.empty() ? 0 : 1));
  fields.set("args", "[" + text::join(words, ",") + "]");
}

// Version 1 has one number, for the first answers; version 2 tells start and requests apart.
void translate_timeout(RawObject& fields) {
  if (fields.find("timeout") && !fields.find("timeout").is_object()) {
    fields.set("startupTimeoutMs", std::string(fields.find("timeout").raw()));
  }
  const std::optional<RawField> field = fields.take("timeout");
  const json::Value timeout = field ? field->value() : json::Value();
  for (const auto& [from, to] :
       {std::pair("startup", "startupTimeoutMs"), std::pair("request", "requestTimeoutMs")}) {
    if (timeout.find(from)) {
      fields.set(to, std::string(timeout.find(from).raw()));
    }
  }
}

void translate(RawObject& fields) {
  translate_command(fields);
  translate_timeout(fields);
  rename_key(fields, "environment", "env");
  translate_oauth(
      fields, "oauth", {.id = "client_id", .secret = "client_secret", .scope = "scope"});
}

// Version 2 keeps servers one level deeper, beside other settings of its client.
json::Value server_map(json::Value root) {
  const json::Value mcp = root.find("mcp");
  const json::Value servers = mcp.find("servers");
  const bool is_server = servers.find("type") || servers.find("command") || servers.find("url");
  return servers.is_object() && !is_server ? servers : mcp;
}

void drop_all(RawObject& fields, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    fields.take(key);
  }
}

// `tools` of the user's files: names and globs over SERVER_TOOL, which a later file may switch on
// again.
class SwitchedOff {
 public:
  void note(json::Value tools) {
    for (const json::Member member : tools.members()) {
      std::erase(patterns_, member.name());
      if (member.value.raw() == "false") {
        patterns_.push_back(member.name());
      }
    }
  }

  void apply(RawServer& server) const {
    const std::string prefix = server.name + "_";
    json::Writer out;
    out.begin_array();
    for (const std::string& pattern : patterns_) {
      if (pattern.starts_with(prefix)) {
        out.string(pattern.substr(prefix.size()));
      } else if (pattern.ends_with('*') && text::glob_match(pattern, prefix)) {
        out.string("*");
      }
    }
    if (std::string names = out.end_array().take(); names != "[]") {
      server.fields.set("excludeTools", std::move(names));
    }
  }

 private:
  std::vector<std::string> patterns_;
};

bool changes(const RawObject& base, const RawObject& over, std::string_view key) {
  const json::Value before = base.find(key);
  const json::Value after = over.find(key);
  return before && after && before.raw() != after.raw();
}

// A later file's entry over an earlier one's: per key, but what belongs to another server stays
// behind.
RawObject merged(RawObject base, const RawObject& over) {
  if (changes(base, over, "type")) {
    drop_all(base, {"command", "environment", "cwd", "url", "headers", "oauth"});
  }
  if (changes(base, over, "url")) {
    drop_all(base, {"headers", "oauth"});
  }
  if (changes(base, over, "command")) {
    drop_all(base, {"environment", "cwd"});
  }
  for (const RawField& field : over.fields()) {
    base.set(field);
  }
  return base;
}

// The nearest project file, looking upward as far as the root of the repository.
std::vector<std::string> project_files(ImportReader& reader) {
  std::vector<std::string> found;
  for (const std::string& folder : reader.project_folders()) {
    for (const std::string_view name : {".opencode/opencode.json",
                                        ".opencode/opencode.jsonc",
                                        "opencode.json",
                                        "opencode.jsonc"}) {
      std::string path = join_path(reader.environment(), folder, name);
      if (reader.is_there(path) && reader.counts(folder, path)) {
        found.insert(found.begin(), std::move(path));
      }
    }
    if (!found.empty()) {
      break;
    }
  }
  return found;
}

// Where the servers of a file are: version 2 has its own place, see server_map().
HostFile opencode_file(const FileSource& files, std::string path) {
  const std::string text = files.read(path).value_or(std::nullopt).value_or("");
  std::vector<Warning> unheard;
  const std::optional<json::Document> document = parse_json_file(text, path, unheard);
  const json::Value root = document ? document->root() : json::Value();
  const bool is_nested = root.find("mcp") && server_map(root).offset() != root.find("mcp").offset();
  std::vector<std::string> members = {"mcp"};
  if (is_nested) {
    members.emplace_back("servers");
  }
  return {.path = std::move(path), .members = {std::move(members)}};
}

std::vector<std::string> config_files(ImportReader& reader) {
  std::vector<std::string> paths = reader.paths(opencode_files);
  for (std::string& path : project_files(reader)) {
    reader.note_project_file(path);
    paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace

std::vector<HostFile> opencode_files(const Environment& environment, const FileSource& files) {
  const std::string folder = join_path(environment, user_config(environment), "opencode");
  std::vector<HostFile> found;
  for (const std::string_view name : {"config.json", "opencode.json", "opencode.jsonc"}) {
    found.push_back(opencode_file(files, join_path(environment, folder, name)));
  }
  HostFile& own = files.is_file(found[2].path) ? found[2] : found[1];
  own.ours = true;
  own.seen_by = folder;
  const std::string chosen = environment.variable("OPENCODE_CONFIG").value_or("");
  if (!chosen.empty()) {
    found.push_back(opencode_file(files, absolute_path(environment, environment.cwd, chosen)));
  }
  return found;
}

void import_opencode(ImportReader& reader) {
  std::vector<RawServer> servers;
  SwitchedOff switched_off;
  for (const std::string& path : config_files(reader)) {
    const std::optional<json::Document> document = reader.read_json(path);
    if (!document) {
      continue;
    }
    if (!reader.is_project_file(path)) {
      switched_off.note(document->root().find("tools"));
    }
    for (RawServer& server : reader.servers_of(server_map(document->root()), "mcp", path)) {
      const auto before = std::find_if(servers.begin(), servers.end(), [&](const RawServer& one) {
        return one.name == server.name && one.origin.project == server.origin.project;
      });
      if (before == servers.end()) {
        servers.push_back(std::move(server));
      } else {
        before->fields = merged(std::move(before->fields), server.fields);
        before->origin = server.origin;
      }
    }
  }
  for (RawServer& server : servers) {
    translate(server.fields);
    switched_off.apply(server);
    const VariableLookup lookup = reader.file_lookup("{file:", server);
    reader.add(std::move(server), lookup);
  }
}

}  // namespace pi_mcp::config
