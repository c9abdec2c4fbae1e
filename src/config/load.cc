#include "config/load.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/imports.h"
#include "config/interpolate.h"
#include "config/keys.h"
#include "config/merge.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/server.h"

namespace pi_mcp::config {
namespace {

enum class Reach : std::uint8_t { user, project };

// Reads every source once, lowest precedence first.
class Loader {
 public:
  Loader(const Environment& environment, const FileSource& files, const LoadOptions& options)
      : environment_(environment), files_(files), options_(options) {}

  void read_all() {
    const bool exclusive = is_exclusive();
    if (!exclusive) {
      add({.path = home(".config/mcp/mcp.json"), .role = "shared user file"}, Reach::user);
      add({.path = home(".agents/mcp.json"), .role = "shared agents file"}, Reach::user);
      add({.path = home(".agents/mcp/mcp.json"), .role = "shared agents file"}, Reach::user);
    }
    add_user_file();
    if (!exclusive) {
      for (const std::string& folder : ancestors()) {
        add({.path = join_path(environment_, folder, ".mcp.json"), .role = "ancestor file"},
            Reach::project);
        add({.path = join_path(environment_, folder, ".pi/mcp.json"), .role = "ancestor file"},
            Reach::project);
      }
      add({.path = cwd(".mcp.json"), .role = "shared project file"}, Reach::project);
      add({.path = cwd(".pi/mcp.json"), .role = "project file"}, Reach::project);
    }
    if (!exclusive) {
      discover_hosts();
    }
    add_registered();
    // A server that its host has switched off is worth listing, but never hides another source's.
    for (const RawServer& server : switched_off_) {
      merge_.add_below(server);
    }
  }

  Settings take_settings() {
    Settings settings;
    settings.agent_dir = agent_dir(environment_);
    settings.notes = std::move(notes_);
    for (const MergedServer& merged : merge_.servers()) {
      Server server = make_server(merged);
      const std::string_view reason = starts_this_program(server) ? "is pi-mcp itself"
                                      : is_only_choices(server)   ? "is no longer defined anywhere"
                                                                  : "";
      if (reason.empty()) {
        settings.servers.push_back(std::move(server));
      } else {
        std::string note = "server \"" + server.name + "\" ";
        note.append(reason).append(" and is left out, in ").append(server.origin.path);
        settings.notes.push_back({server.origin.path, std::move(note)});
      }
    }
    apply_settings(merge_.settings(), settings);
    settings.split_tool = settings.split_tool || options_.split_tool;
    settings.warnings = std::move(warnings_);
    return settings;
  }

  std::vector<SourceFile> take_files() { return std::move(visited_); }

 private:
  [[nodiscard]] std::string home(std::string_view relative) const {
    return join_path(environment_, environment_.home, relative);
  }
  [[nodiscard]] std::string cwd(std::string_view relative) const {
    return join_path(environment_, environment_.cwd, relative);
  }

  [[nodiscard]] bool is_exclusive() const {
    const std::string mode = environment_.variable("PI_MCP_CONFIG_MODE").value_or("");
    return text::lower(text::trim(mode)) == "exclusive";
  }

  void add_user_file() {
    if (!options_.config_file) {
      add({.path = join_path(environment_, agent_dir(environment_), "mcp.json"),
           .role = "user file"},
          Reach::user);
      return;
    }
    const std::string path = absolute_path(environment_, environment_.cwd, *options_.config_file);
    const std::size_t before = warnings_.size();
    if (!add({.path = path, .role = "--config file"}, Reach::user) && warnings_.size() == before) {
      warnings_.push_back({path,
                           path + ": the file given with --config does not exist; create it "
                                  "or correct the path"});
    }
    // What the user asked for by name is said first.
    std::rotate(warnings_.begin(),
                warnings_.begin() + static_cast<std::ptrdiff_t>(before),
                warnings_.end());
  }

  void add_registered() {
    const Result<json::Document> servers = json::Document::parse_view(options_.registered);
    if (!servers) {
      return;
    }
    const Origin origin{.path = "(registered)", .import_kind = std::string(registered_kind)};
    for (RawServer& server : read_servers(servers->root(), "registered", origin, warnings_)) {
      translate_enabled(server.fields);
      merge_.add_below(server);
    }
  }

  // True when the file exists, whatever is in it.
  bool add(SourceFile source, Reach reach) {
    const std::string path = source.path;
    if (!seen_.insert(files_.canonical(path)).second) {
      return true;
    }
    Result<std::optional<std::string>> text = files_.read(path);
    const bool exists = !text || text->has_value();
    if (!text) {
      warnings_.push_back({path,
                           path + ": cannot be read: " + text.error().message() +
                               "; it is left out until that is corrected"});
    } else if (std::optional<std::string> content = *std::move(text)) {
      if (const auto document = parse_json_file(*std::move(content), path, warnings_)) {
        apply(read_layer(document->root(), path, warnings_), reach);
      }
    }
    visited_.push_back(std::move(source));
    return exists;
  }

  void apply(Layer layer, Reach reach) {
    for (const std::string_view key : {"ancestorConfigRoots", "hostConfigDiscovery"}) {
      if (reach == Reach::project && layer.settings.take(key)) {
        warnings_.push_back({layer.origin.path,
                             layer.origin.path + ": \"" + std::string(key) +
                                 "\" counts only in files of the user; it is ignored"});
      }
    }
    std::set<std::string> names;
    for (const std::string& kind : layer.imports) {
      add_import(kind, names);
    }
    for (const RawServer& server : layer.servers) {
      merge_.add(server);
    }
    merge_.add_settings(layer.settings, layer.origin);
  }

  // settings.hostConfigDiscovery: the servers of every known host, below all other sources, so that
  // a name which one of those has stays as it is there.
  void discover_hosts() {
    const MergedField* field = merge_.settings().find("hostConfigDiscovery");
    if (field == nullptr || field->json == "\"off\"") {
      return;
    }
    const bool taken = field->json == "\"on\"";
    for (const std::string& kind : import_kinds()) {
      if (!imported_.contains(kind)) {
        discover(kind, taken);
      }
    }
  }

  void discover(const std::string& kind, bool taken) {
    Imported imported = read_import(kind, environment_, files_, warnings_);
    for (std::string& path : imported.paths) {
      visited_.push_back({.path = std::move(path), .role = "discovered " + kind});
    }
    if (!taken && !imported.servers.empty()) {
      notes_.push_back({imported.servers.front().origin.path,
                        imported.servers.front().origin.path + ": the servers of " + kind +
                            " are left out; \"imports\": [\"" + kind +
                            "\"] or \"hostConfigDiscovery\": \"on\" uses them"});
    }
    for (RawServer& server : imported.servers) {
      if (taken) {
        merge_.add_below(server);
      }
    }
  }

  // `names` are the servers that earlier imports of the same list brought: the first one wins.
  void add_import(const std::string& kind, std::set<std::string>& names) {
    if (!imported_.insert(kind).second) {
      return;
    }
    Imported imported = read_import(kind, environment_, files_, warnings_);
    for (std::string& path : imported.paths) {
      visited_.push_back({.path = std::move(path), .role = "import " + kind});
    }
    for (RawServer& server : imported.servers) {
      const std::string* disabled = server.fields.find("disabled");
      if (disabled != nullptr && *disabled == "true") {
        switched_off_.push_back(std::move(server));
      } else if (names.insert(server.name).second) {
        merge_.add(server);
      }
    }
  }

  // Directories above the working directory, farthest first, from the deepest root that qualifies.
  std::vector<std::string> ancestors() {
    const std::string inner = files_.canonical(environment_.cwd);
    const MergedField* field = merge_.settings().find("ancestorConfigRoots");
    const json::Document roots = parse_trusted(field == nullptr ? "[]" : field->json);
    std::string deepest;
    for (const json::Value element : roots.root().elements()) {
      const std::string root = ancestor_root(element.string_or(""), *field);
      if (root.size() > deepest.size() && is_inside(environment_, inner, root)) {
        deepest = root;
      }
    }
    std::vector<std::string> folders;
    for (const std::string& folder : with_parents(environment_, inner)) {
      if (!deepest.empty() && folder != inner && is_inside(environment_, folder, deepest)) {
        folders.insert(folders.begin(), folder);
      }
    }
    return folders;
  }

  // Empty, with a warning, for a root that is not allowed.
  std::string ancestor_root(const std::string& written, const MergedField& field) {
    const std::string expanded = expand_home(written, environment_);
    std::string root = files_.canonical(expanded);
    const std::string home_directory = files_.canonical(environment_.home);
    std::string reason;
    if (!is_absolute(environment_, expanded)) {
      reason = "must be absolute or start with ~/";
    } else if (!files_.is_directory(root)) {
      reason = "is not a directory";
    } else if (root == home_directory || !is_inside(environment_, root, home_directory)) {
      reason = "must be a directory below the home directory";
    }
    if (reason.empty()) {
      return root;
    }
    const std::string& path = field.origin.path;
    warnings_.push_back({path,
                         path + ": settings: the root \"" + written + "\" in " +
                             "\"ancestorConfigRoots\" " + reason + "; it is ignored"});
    return {};
  }

  const Environment& environment_;
  const FileSource& files_;
  const LoadOptions& options_;
  std::vector<Warning> warnings_;
  std::vector<Warning> notes_;
  std::vector<SourceFile> visited_;
  std::set<std::string> seen_;      // canonical paths of our own sources
  std::set<std::string> imported_;  // import kinds
  std::vector<RawServer> switched_off_;
  Merge merge_;
};

}  // namespace

Settings load(const Environment& environment, const FileSource& files, const LoadOptions& options) {
  Loader loader(environment, files, options);
  loader.read_all();
  return loader.take_settings();
}

std::string agent_dir(const Environment& environment) {
  const std::string set = environment.variable("PI_CODING_AGENT_DIR").value_or("");
  if (text::trim(set).empty()) {
    return join_path(environment, environment.home, ".pi/agent");
  }
  return absolute_path(environment, environment.cwd, text::trim(set));
}

std::vector<SourceFile> source_files(const Environment& environment,
                                     const FileSource& files,
                                     const LoadOptions& options) {
  Loader loader(environment, files, options);
  loader.read_all();
  return loader.take_files();
}

}  // namespace pi_mcp::config
