#include "config/load.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/import/imports.h"
#include "config/merge.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/plugins/plugin_reader.h"
#include "config/project/project_files.h"
#include "config/project/project_folders.h"
#include "config/server.h"
#include "config/sources.h"
#include "config/trust/project_gate.h"

namespace pi_mcp::config {
namespace {

// Reads every source once, lowest precedence first: the user's files, then those of the project,
// and merges what of them counts.
class Loader {
 public:
  Loader(const Environment& environment, const FileSource& files, const LoadOptions& options)
      : environment_(environment), files_(files), options_(options), trust_(options.trust) {
    if (options.users_alone) {
      trust_.host = false;  // over everything that says yes
    }
  }

  void read_all() {
    SourceReader sources(environment_, files_, warnings_);
    const bool is_given = options_.given.has_value();
    const std::vector<Source> user =
        is_given ? sources.read_given(*options_.given) : sources.read_user(options_.config_file);
    for (const Source& source : user) {
      merge_.add_settings(source.layer.settings, source.layer.origin);
    }
    if (!options_.users_alone) {
      folders_above_ = folders_above(environment_, files_);
    }
    ProjectGate gate(
        environment_, files_, trust_, texts_of_setting("trustedFolders"), folders_above_);
    gate_ = &gate;
    for (const Source& source : user) {
      add_user_source(source);
    }
    if (!is_given && !options_.users_alone) {
      project_ = sources.read_project(
          folders_above_, texts_of_setting("ancestorConfigRoots"), origin_of_roots());
    }
    for (const Source& source : project_) {
      visited_.push_back(source.file);
    }
    is_exclusive_ = is_given || sources.is_exclusive();
    if (!is_exclusive_) {
      discover_hosts();
    }
    add_registered();
    if (!is_given) {
      add_plugins(user);
    }
    // A server that its host has switched off is worth listing, but never hides another source's.
    for (const RawServer& server : switched_off_) {
      merge_.add_below(server);
    }
    if (!options_.users_alone) {
      add_project();
    }
    if (!is_given && !options_.users_alone) {
      add_choices();
    }
    take_answers();
    gate_ = nullptr;
  }

  Settings take_settings() {
    Settings settings;
    settings.agent_dir = agent_dir(environment_);
    settings.notes = std::move(notes_);
    settings.trust_requests = std::move(requests_);
    settings.host_once = std::move(host_once_);
    settings.folder = std::move(folder_);
    settings.folder_trusted = folder_trusted_;
    settings.given = options_.given.has_value();
    apply_settings(merge_.settings(), settings);
    settings.split_tool = settings.split_tool || options_.split_tool;
    settings.servers.reserve(merge_.servers().size());
    for (const MergedServer& merged : merge_.servers()) {
      Server server = make_server(merged, settings);
      const std::string_view reason = starts_this_program(server) ? "is pi-mcp itself"
                                      : is_only_choices(server)   ? "is no longer defined anywhere"
                                                                  : "";
      if (reason.empty()) {
        settings.servers.push_back(std::move(server));
      } else {
        std::string note = "server \"" + server.name + "\" ";
        note.append(reason).append(" and is left out, in ").append(server.origin.path);
        settings.notes.push_back({.path = server.origin.path, .message = std::move(note)});
      }
    }
    settings.warnings = users_first();
    if (!options_.servers.empty()) {
      narrow(settings);
    }
    return settings;
  }

  [[nodiscard]] std::vector<HiddenServer> hidden() const { return merge_.hidden(); }

  std::vector<SourceFile> take_files() { return std::move(visited_); }

 private:
  // Where there is little room few are said, and a stranger can give any number.
  std::vector<Warning> users_first() {
    std::set<std::string> strangers;
    for (const SourceFile& file : visited_) {
      if (file.project) {
        strangers.insert(file.path);
      }
    }
    std::vector<Warning> sorted;
    for (const bool of_strangers : {false, true}) {
      std::ranges::copy_if(warnings_,
                           std::back_inserter(sorted),
                           [&strangers, of_strangers](const Warning& warning) {
                             return strangers.contains(warning.path) == of_strangers;
                           });
    }
    return sorted;
  }

  // Only the servers of --servers are there.
  void narrow(Settings& settings) const {
    const auto is_left_out = [this](const std::string& server) {
      return std::ranges::find(options_.servers, server) == options_.servers.end();
    };
    for (const std::string& name : options_.servers) {
      if (settings.find(name) == nullptr) {
        settings.warnings.push_back(
            {.path = "", .message = "--servers: there is no server \"" + name + "\" any more"});
      }
    }
    std::erase_if(settings.servers, [&](const Server& server) { return is_left_out(server.name); });
    std::erase_if(settings.trust_requests, [&](const TrustRequest& request) {
      return !request.server.empty() && is_left_out(request.server);
    });
  }

  void add_user_source(const Source& source) {
    std::set<std::string> names;
    for (const std::string& kind : source.layer.imports) {
      add_import(kind, names);
    }
    for (const RawServer& server : source.layer.servers) {
      merge_.add(server);
    }
    visited_.push_back(source.file);
  }

  // What the project's files say, as far as they are trusted: over all that the user has said, and
  // what hosts keep in the project below that.
  void add_project() {
    for (const Source& source : project_) {
      if (gate_->allows_settings(source.layer)) {
        merge_.add_project_settings(source.layer, warnings_);
        std::set<std::string> names;
        for (const std::string& kind : source.layer.imports) {
          add_import(kind, names, true);
        }
        add_plugins_of(source.layer.claude_plugins,
                       source.layer.settings.find("agentPluginPaths"),
                       {.claude = source.layer.origin, .agent = source.layer.origin, .pi = false});
      }
    }
    for (const RawServer& server : imported_project_) {
      merge_.add_project(server, true, warnings_);
    }
    for (Source& source : project_) {
      for (const RawServer& server : source.layer.servers) {
        if (gate_->allows(server)) {
          merge_.add_project(server, false, warnings_);
          std::ranges::move(std::exchange(source.warnings, {}), std::back_inserter(warnings_));
        } else {
          waiting_.push_back(server);
        }
      }
    }
    if (waiting_.size() > project_servers_max) {
      waiting_.resize(project_servers_max);
      warnings_.push_back({.path = "",
                           .message = "of the project's servers that need trust only the first " +
                                      std::to_string(project_servers_max) + " are listed"});
    }
    for (const RawServer& server : waiting_) {
      merge_.add_waiting(server);
    }
  }

  // Of the user's files the highest that lists plugins of a kind counts, as with every key. What
  // Pi has installed for the folder is the project's.
  void add_plugins(const std::vector<Source>& user) {
    std::string claude;
    Origins named_in;
    for (const Source& source : user) {
      if (!source.layer.claude_plugins.empty()) {
        claude = source.layer.claude_plugins;
        named_in.claude = source.layer.origin;
      }
    }
    const RawField* agent = merge_.settings().fields.field("agentPluginPaths");
    named_in.agent = agent == nullptr ? Origin() : agent->origin;
    named_in.pi = !is_exclusive_;
    add_plugins_of(claude, agent == nullptr ? json::Value() : agent->value(), named_in);
  }

  struct Origins {
    Origin claude;
    Origin agent;
    bool pi = false;  // its packages are asked for
  };
  void add_plugins_of(std::string_view claude, json::Value agent, const Origins& named_in) {
    const PluginSources sources{
        .environment = environment_,
        .files = files_,
        .warnings = warnings_,
        .is_allowed = [this](const RawServer& server,
                             const std::string& path) { return gate_->allows(server, path); },
        .folder_trusted = gate_->trusts_folder()};
    PluginReader reader(sources);
    read_agent_plugins(reader, agent, named_in.agent);
    if (named_in.pi) {
      read_pi_packages(reader, true);
      read_pi_packages(reader, false);
    }
    read_claude_plugins(reader, parse_trusted(std::string(claude)).root(), named_in.claude);
    PluginServers plugins = reader.take();
    visited_.insert(visited_.begin(), plugins.files.begin(), plugins.files.end());
    std::ranges::move(plugins.waiting, std::back_inserter(waiting_));
    for (RawServer& server : plugins.servers) {
      if (server.origin.project) {
        imported_project_.push_back(std::move(server));
      } else {
        merge_.add_below(server);
      }
    }
  }

  // What the user has set for this folder alone; it is the user's word, so it may be anything.
  void add_choices() {
    const TrustedFolder* kept = gate_->book().find(gate_->folder());
    if (kept == nullptr) {
      return;
    }
    const Origin origin{.path = trust_file(environment_), .import_kind = {}};
    for (const auto& [name, fields] : kept->choices) {
      const MergedServer* server = merge_.find(name);
      if (server != nullptr && server->standing != Standing::needs_trust) {
        merge_.choose(
            {.name = name, .fields = fields, .origin = origin, .digest = {}, .written = {}});
      }
    }
  }

  void take_answers() {
    host_once_ = gate_->take_host_once();
    requests_ = options_.users_alone ? std::vector<TrustRequest>() : gate_->take_requests();
    for (TrustRequest& request : requests_) {
      const MergedServer* server = request.server.empty() ? nullptr : merge_.find(request.server);
      request.replaces_users = server != nullptr && server->standing == Standing::user;
    }
    folder_ = gate_->folder();
    folder_trusted_ = gate_->trusts_folder();
    if (!gate_->problem().empty()) {
      warnings_.push_back({.path = trust_file(environment_), .message = gate_->problem()});
    }
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

  // settings.hostConfigDiscovery: the servers of every known host, below all other sources, so that
  // a name which one of those has stays as it is there.
  void discover_hosts() {
    const json::Value discovery = merge_.settings().fields.find("hostConfigDiscovery");
    if (!discovery || discovery.equals("off")) {
      return;
    }
    const bool taken = discovery.equals("on");
    for (const std::string& kind : import_kinds()) {
      if (!imported_.contains(kind)) {
        discover(kind, taken);
      }
    }
  }

  void discover(const std::string& kind, bool taken) {
    Imported imported = read(kind, "discovered ", taken);
    if (!taken && !imported.servers.empty()) {
      notes_.push_back({imported.servers.front().origin.path,
                        imported.servers.front().origin.path + ": the servers of " + kind +
                            " are left out; \"imports\": [\"" + kind +
                            "\"] or \"hostConfigDiscovery\": \"on\" uses them"});
    }
    if (!taken) {
      return;
    }
    std::ranges::move(imported.waiting, std::back_inserter(waiting_));
    for (RawServer& server : imported.servers) {
      if (server.origin.project) {
        imported_project_.push_back(std::move(server));
      } else {
        merge_.add_below(server);
      }
    }
  }

  Imported read(const std::string& kind, std::string_view role, bool is_wanted) {
    Imported imported = read_import(
        kind,
        {.environment = environment_,
         .files = files_,
         .warnings = warnings_,
         .is_allowed = [this, is_wanted](
                           const RawServer& server) { return is_wanted && gate_->allows(server); },
         .folder_trusted = gate_->trusts_folder(),
         .notes = &notes_,
         .folders_above = folders_above_});
    for (ImportedFile& looked_at : imported.files) {
      looked_at.file.role = std::string(role) + kind;
      visited_.push_back(std::move(looked_at.file));
    }
    return imported;
  }

  // `names` are the servers that earlier imports of the same list brought: the first one wins. What
  // a project wants imported stands below all that the user has.
  void add_import(const std::string& kind, std::set<std::string>& names, bool below = false) {
    if (!imported_.insert(kind).second) {
      return;
    }
    Imported imported = read(kind, "import ", true);
    std::ranges::move(imported.waiting, std::back_inserter(waiting_));
    for (RawServer& server : imported.servers) {
      if (server.origin.project) {
        imported_project_.push_back(std::move(server));
      } else if (server.fields.find("disabled").bool_or(false)) {
        switched_off_.push_back(std::move(server));
      } else if (below) {
        merge_.add_below(server);
      } else if (names.insert(server.name).second) {
        merge_.add(server);
      } else {
        merge_.note_hidden(server.name, server.origin.path, merge_.find(server.name)->origin.path);
      }
    }
  }

  [[nodiscard]] std::vector<std::string> texts_of_setting(std::string_view key) const {
    std::vector<std::string> texts;
    for (const json::Value element : merge_.settings().fields.find(key).elements()) {
      texts.push_back(element.string_or(""));
    }
    return texts;
  }

  [[nodiscard]] std::string origin_of_roots() const {
    const RawField* field = merge_.settings().fields.field("ancestorConfigRoots");
    return field == nullptr ? std::string() : field->origin.path;
  }

  const Environment& environment_;
  const ProjectFiles files_;
  const LoadOptions& options_;
  TrustOptions trust_;
  std::vector<Source> project_;
  std::vector<RawServer> imported_project_;
  std::vector<RawServer> waiting_;  // of the project, and not allowed yet
  std::vector<Warning> warnings_;
  std::vector<Warning> notes_;
  std::vector<SourceFile> visited_;
  std::set<std::string> imported_;  // import kinds
  std::vector<RawServer> switched_off_;
  Merge merge_;
  ProjectGate* gate_ = nullptr;  // while everything is read
  std::vector<std::string> folders_above_;
  bool is_exclusive_ = false;
  std::vector<TrustRequest> requests_;
  std::vector<std::string> host_once_;
  std::string folder_;
  bool folder_trusted_ = false;
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

std::string trust_file(const Environment& environment) {
  return join_path(environment, agent_dir(environment), "mcp-trust.json");
}

std::vector<SourceFile> source_files(const Environment& environment,
                                     const FileSource& files,
                                     const LoadOptions& options) {
  Loader loader(environment, files, options);
  loader.read_all();
  return loader.take_files();
}

std::vector<HiddenServer> hidden_servers(const Environment& environment,
                                         const FileSource& files,
                                         const LoadOptions& options) {
  Loader loader(environment, files, options);
  loader.read_all();
  std::vector<HiddenServer> hidden = loader.hidden();
  const Settings settings = loader.take_settings();
  std::erase_if(hidden,
                [&](const HiddenServer& one) { return settings.find(one.name) == nullptr; });
  return hidden;
}

}  // namespace pi_mcp::config
