// Packages of Pi (https://pi.dev/docs, "Packages"). `pi.mcp` in a package's
// package.json is the Pi MCP Adapter's: one path or several of files in our own format, of which
// only the servers count.
#include "config/plugins/pi_packages.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/load.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/plugins/plugin_reader.h"
#include "config/project/project_folders.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// "npm:@scope/name@1.2.3" without the version.
std::string npm_name(std::string_view spec) {
  spec = text::trim(spec);
  return std::string(spec.substr(0, spec.find('@', 1)));
}

// host/path of "git:github.com/a/b@v1", "https://host/a/b.git" and "git@host:a/b".
std::string git_path(std::string_view address) {
  address = text::trim(address);
  if (const std::size_t scheme = address.find("://"); scheme != std::string_view::npos) {
    address.remove_prefix(scheme + 3);
  }
  const std::size_t user = address.find('@');
  const bool has_user = user != std::string_view::npos && user < address.find('/');
  std::string path(address.substr(has_user ? user + 1 : 0));
  if (const std::size_t colon = path.find(':'); has_user && colon < path.find('/')) {
    path[colon] = '/';
  }
  const std::size_t ref =
      path.find('@', path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  path = path.substr(0, ref);
  return path.ends_with(".git") ? path.substr(0, path.size() - 4) : path;
}

// Where Pi keeps a package that was installed into `base`.
std::string package_folder(const Environment& environment,
                           const std::string& base,
                           std::string_view source) {
  source = text::trim(source);
  if (source.starts_with("npm:")) {
    return join_path(environment, base, "npm/node_modules/" + npm_name(source.substr(4)));
  }
  const bool is_git = source.starts_with("git:") && !source.starts_with("git://");
  const std::string_view address = is_git ? source.substr(4) : source;
  if (is_git || source.find("://") != std::string_view::npos || source.starts_with("git@")) {
    return join_path(environment, base, "git/" + git_path(address));
  }
  return absolute_path(environment, base, source);
}

// A program's argument that is a file of the package: elsewhere a session's folder would decide
// what it is.
void anchor_arguments(RawServer& server, const PluginReader& reader, const std::string& root) {
  json::Writer out;
  out.begin_array();
  for (const json::Value argument : server.fields.find("args").elements()) {
    const std::string path = argument.string_or("").starts_with("./")
                                 ? absolute_path(reader.environment(), root, argument.string_or(""))
                                 : "";
    if (!path.empty() && reader.files().is_file(path)) {
      out.string(path);
    } else {
      out.raw(argument.raw());
    }
  }
  server.fields.set("args", out.end_array().take());
}

void read_package(PluginReader& reader, const Plugin& package) {
  const std::string manifest_path = join_path(reader.environment(), package.root, "package.json");
  if (!reader.files().is_file(manifest_path)) {
    return;  // Pi itself says what is not installed
  }
  const std::optional<json::Document> manifest = reader.read_json(package, manifest_path);
  const json::Value mcp = manifest ? manifest->root().at({"pi", "mcp"}) : json::Value();
  if (!mcp) {
    return;
  }
  std::vector<json::Value> files = reader.elements(mcp, "pi.mcp", package.named_in);
  if (mcp.is_string()) {
    files.push_back(mcp);
  }
  const std::string prefix = plain_name(manifest->root().find("name").string_or(""), "package");
  for (const json::Value file : files) {
    const std::string path =
        absolute_path(reader.environment(), package.root, file.string_or("package.json"));
    if (!reader.is_new(package, path)) {
      continue;
    }
    const std::optional<json::Document> document = reader.read_json(package, path);
    if (!document) {
      continue;
    }
    for (RawServer& server :
         reader.servers_of(package, document->root().find("mcpServers"), path, prefix)) {
      anchor_paths(server.fields, reader.environment(), package.root);
      if (server.fields.find("args").is_array()) {
        anchor_arguments(server, reader, package.root);
      }
      reader.add(std::move(server));
    }
  }
}

// What cannot be read says nothing.
json::Document read_quietly(const FileSource& files, const std::string& path) {
  std::vector<Warning> ignored;
  std::optional<std::string> text = files.read(path).value_or(std::nullopt);
  std::optional<json::Document> document;
  if (text) {
    document = parse_json_file(*std::move(text), path, ignored);
  }
  return document ? *std::move(document) : json::Document();
}

json::Value source_of(json::Value entry) {
  return entry.is_object() ? entry.find("source") : entry;
}

}  // namespace

bool pi_has_package(const Environment& environment,
                    const FileSource& files,
                    std::string_view name) {
  const std::string base = agent_dir(environment);
  const json::Document settings =
      read_quietly(files, join_path(environment, base, "settings.json"));
  for (const json::Value entry : settings.root().find("packages").elements()) {
    const std::string source = source_of(entry).string_or("");
    const std::string_view plain = text::trim(source);
    if (plain.starts_with("npm:") && npm_name(plain.substr(4)) == name) {
      return true;
    }
    const std::string folder =
        plain.empty() ? std::string() : package_folder(environment, base, plain);
    if (!folder.empty() && read_quietly(files, join_path(environment, folder, "package.json"))
                               .root()
                               .find("name")
                               .equals(name)) {
      return true;
    }
  }
  return false;
}

void read_pi_packages(PluginReader& reader, bool of_project) {
  const Environment& environment = reader.environment();
  const std::string base =
      of_project ? join_path(environment, environment.cwd, ".pi") : agent_dir(environment);
  const Origin named_in{.path = join_path(environment, base, "settings.json"),
                        .import_kind = {},
                        .project = of_project};
  const std::optional<json::Document> settings =
      reader.read_json({.kind = pi_package_kind, .root = {}, .named_in = named_in}, named_in.path);
  if (!settings) {
    return;
  }
  std::set<std::string> seen;
  for (const json::Value entry :
       reader.elements(settings->root().find("packages"), "packages", named_in)) {
    const json::Value source = source_of(entry);
    if (!source.is_string()) {
      continue;
    }
    const std::string root =
        reader.files().canonical(package_folder(environment, base, source.string_or("")));
    if (seen.insert(root).second) {
      read_package(reader, {.kind = pi_package_kind, .root = root, .named_in = named_in});
    }
  }
}

}  // namespace pi_mcp::config
