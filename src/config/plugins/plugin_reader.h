// What all kinds of plugins share: their folder, its files, and whose their servers are. Internal
// to config/plugins/.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/plugins/plugins.h"
#include "json/document.h"

namespace pi_mcp::config {

struct Plugin {
  std::string_view kind;  // import_kind of its servers
  std::string root;       // real path of its folder; empty: files may be anywhere
  Origin named_in;        // `project`: the plugin is the project's
};

// "acme_tools" for "@acme/tools"; `otherwise` where nothing is left of the name.
std::string plain_name(std::string_view name, std::string_view otherwise);

class PluginReader {
 public:
  explicit PluginReader(const PluginSources& sources) : sources_(sources) {}

  [[nodiscard]] const Environment& environment() const { return sources_.environment; }
  [[nodiscard]] const FileSource& files() const { return sources_.files; }

  // A path as written in a list of plugins: a relative one is below the working directory, and the
  // plugin then the project's, whoever lists it. nullopt (warned): there is no such folder.
  std::optional<Plugin> open(std::string_view kind,
                             const std::string& written,
                             const Origin& named_in);

  // The elements of a list, as many as count.
  std::vector<json::Value> elements(json::Value list, std::string_view key, const Origin& in);

  // A JSON file of the plugin; nullopt when it is missing, or (warned) cannot be read or is not in
  // the plugin's folder.
  std::optional<json::Document> read_json(const Plugin& plugin, const std::string& path);

  // A file with servers counts once: in a plugin of the user, or in all that are the project's.
  bool is_new(const Plugin& plugin, const std::string& path);

  // The entries of a map of servers in that file, as far as they may be used. `prefix` goes in
  // front of their names.
  std::vector<RawServer> servers_of(const Plugin& plugin,
                                    json::Value map,
                                    const std::string& path,
                                    const std::string& prefix);
  // Takes an entry with our own keys. The first of equal names counts.
  void add(RawServer server);

  void warn(const std::string& path, std::string_view message, std::string_view server = {});

  PluginServers take() { return std::move(result_); }

 private:
  // Whether one more of a project's files may be looked at.
  bool may_look_at(const std::string& path);

  const PluginSources& sources_;
  std::set<std::string> seen_;
  std::size_t projects_files_ = 0;  // that were read or looked for
  PluginServers result_;
};

}  // namespace pi_mcp::config
