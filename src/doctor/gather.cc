#include "doctor/gather.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/shell_word.h"
#include "config/check.h"
#include "config/edit.h"
#include "config/interpolate.h"
#include "doctor/hosts.h"
#include "doctor/program.h"
#include "io/files/file.h"
#include "io/files/permissions.h"
#include "io/process/kernel.h"
#include "json/document.h"
#include "runs/run_folder.h"
#include "secrets/mask.h"
#include "secrets/plain.h"
#include "servers/launch/oauth_access.h"
#include "servers/launch/text.h"
#include "servers/server_status.h"

namespace pi_mcp::doctor {
namespace {

// Why nothing in a file counts.
std::string file_problem(const std::string& path, const config::Settings& settings) {
  const auto said = std::ranges::find_if(settings.warnings, [&](const config::Warning& warning) {
    return warning.unreadable && warning.path == path;
  });
  return said == settings.warnings.end() ? "" : said->message;
}

bool has_secrets(const config::Server& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  return entry && !secrets::plain_secrets(server.name, entry->root()).empty();
}

// A file of the user's own, not one of a host or a project.
bool is_open(const std::string& path, const config::Settings& settings) {
  return io::others_may_read(path) &&
         std::ranges::any_of(settings.servers, [&path](const config::Server& server) {
           const config::Origin origin = config::definition(server);
           return origin.path == path && !origin.project && origin.import_kind.empty() &&
                  has_secrets(server);
         });
}

std::vector<FileFacts> files_of(const Place& place) {
  std::vector<FileFacts> files;
  for (const config::SourceFile& file :
       config::source_files(place.environment, place.files, place.options)) {
    const Result<std::optional<std::string>> text =
        file.project ? place.files.read_regular(file.path) : place.files.read(file.path);
    files.push_back({.path = file.path,
                     .role = file.role,
                     .exists = !text || text->has_value(),
                     .problem = file_problem(file.path, place.settings),
                     .is_open = is_open(file.path, place.settings),
                     .is_projects = file.project});
  }
  return files;
}

class Variables {
 public:
  Variables(const config::Server& server, const config::Environment& environment)
      : server_(server), environment_(environment) {}

  // Those that a start asks for and that are not set, each once.
  std::vector<UnsetVariable> unset() {
    look_at("command", server_.command.value_or(""), false);
    for (std::size_t i = 0; i < server_.args.size(); ++i) {
      look_at("args[" + std::to_string(i) + "]", server_.args[i], false);
    }
    for (const auto& [name, value] : server_.env) {
      if (!server_.literal_env) {
        look_at_value("env " + name, value, servers::is_credential_name(name));
      }
    }
    look_at("cwd", server_.cwd.value_or(""), false);
    look_at("url", server_.url.value_or(""), true);
    for (const auto& [name, value] : server_.headers) {
      look_at_value("header " + name, value, true);
    }
    look_at_value("bearerToken", server_.bearer_token.value_or(""), true);
    if (server_.bearer_token_env && !environment_.variable(*server_.bearer_token_env)) {
      add("bearerTokenEnv", *server_.bearer_token_env, true);
    }
    look_at("socket", server_.socket.value_or(""), true);
    if (server_.oauth) {
      for (const auto& [name, value] : server_.oauth->texts) {
        look_at_value("oauth." + name, value, true);
      }
    }
    return std::move(unset_);
  }

 private:
  // What a command prints is not asked for here.
  void look_at_value(const std::string& field, std::string_view value, bool prevents) {
    const config::SecretCommand command = config::secret_command(value);
    if (!command.is_command) {
      look_at(field, command.text, prevents);
    }
  }
  void look_at(const std::string& field, std::string_view value, bool prevents) {
    for (const std::string& name : config::interpolate(value, environment_).missing) {
      add(field, name, prevents);
    }
  }
  void add(const std::string& field, const std::string& name, bool prevents) {
    const auto known = std::ranges::find(unset_, name, &UnsetVariable::name);
    if (known == unset_.end()) {
      unset_.push_back({.name = name, .field = field, .prevents = prevents});
    } else if (prevents && !known->prevents) {
      *known = {.name = name, .field = field, .prevents = true};
    }
  }

  const config::Server& server_;
  const config::Environment& environment_;
  std::vector<UnsetVariable> unset_;
};

std::string missing_folder(const config::Server& server, const config::Environment& environment) {
  if (!server.cwd || server.cwd->empty()) {
    return "";
  }
  std::string path =
      config::expand_home(config::interpolate(*server.cwd, environment).text, environment);
  if (!path.starts_with('/')) {
    path.insert(0, environment.cwd + "/");
  }
  return io::is_directory(path) ? "" : path;
}

std::optional<LoginFacts> login_of(const config::Server& server, const Place& place) {
  const std::optional<servers::StoredLogin> stored =
      servers::stored_login(server, place.environment, place.settings);
  return stored ? std::optional(LoginFacts{.is_asked_for = server.auth == config::Auth::oauth ||
                                                           server.oauth.has_value(),
                                           .is_there = stored->is_there,
                                           .ends_at = stored->ends_at})
                : std::nullopt;
}

std::optional<LastFailure> last_failure(const config::Server& server, const Place& place) {
  const std::optional<runs::LastRun> last =
      runs::RunFolder(place.settings.agent_dir).last_run(server);
  return last && !last->error.empty()
             ? std::optional(LastFailure{.reason = last->error, .wants_login = last->wants_login})
             : std::nullopt;
}

ServerFacts facts_of(const config::Server& server, const Place& place) {
  const bool waits = server.standing == config::Standing::needs_trust;
  ServerFacts facts{.name = server.name,
                    .origin = config::definition(server),
                    .disabled = server.disabled && !waits,
                    .needs_trust = waits,
                    .problem = server.problem.value_or(""),
                    .address = {},
                    .program = {},
                    .unset = {},
                    .missing_secrets = {},
                    .plain_tokens = {},
                    .missing_folder = {},
                    .login = {},
                    .last_failure = {},
                    .start = {}};
  if (server.disabled || server.problem) {
    return facts;
  }
  facts.unset = Variables(server, place.environment).unset();
  facts.missing_folder = missing_folder(server, place.environment);
  facts.login = login_of(server, place);
  facts.last_failure = last_failure(server, place);
  if (server.url) {
    facts.address = secrets::mask_url(*server.url);
  } else if (server.socket) {
    facts.address = *server.socket;
  } else if (config::interpolate(*server.command, place.environment).missing.empty()) {
    facts.program = look_for_program(server, place.environment);
    if (facts.program->has_spaces && !facts.origin.project && facts.origin.import_kind.empty() &&
        server.args.empty()) {
      facts.program->words =
          text::shell_words(*server.command).value_or(std::vector<std::string>());
    }
  }
  return facts;
}

void add_runs(std::vector<RunFacts>& found,
              const runs::RunRecord& run,
              const config::Settings& settings) {
  for (const runs::RunServer& server : run.servers) {
    found.push_back(
        {.server = server.status.name,
         .state = std::string(servers::state_name(server.status.state)),
         .process_id = server.status.process_id,
         .owner = run.process_id,
         .client = run.client,
         .cwd = run.cwd,
         .configured = runs::is_configured(settings, server.status.name, server.identity)});
  }
}

std::vector<RunFacts> runs_of(const Place& place, EpochMs now) {
  std::vector<RunFacts> found;
  for (const runs::RunFolder::Run& run : runs::RunFolder(place.settings.agent_dir).runs(now)) {
    add_runs(found, run.record, place.settings);
  }
  for (const runs::RunRecord& run : place.shared_runs) {
    add_runs(found, run, place.settings);
  }
  return found;
}

}  // namespace

Facts gather(const Place& place, const std::vector<std::string>& servers, EpochMs now) {
  const auto is_wanted = [&servers](const std::string& name) {
    return servers.empty() || std::ranges::find(servers, name) != servers.end();
  };
  Facts facts{.files = {},
              .warnings = {},
              .hidden = {},
              .trust_requests = {},
              .servers = {},
              .runs = runs_of(place, now),
              .hosts = look_at_hosts(place),
              .stale_imports = {},
              .left = {},
              .alone = {},
              .programs = {},
              .version = PI_MCP_VERSION,
              .path = io::canonical_path(io::own_program()),
              .now = now};
  facts.files = files_of(place);
  // What is said of an unreadable file stands beside the file itself, and why a server cannot be
  // used beside the server.
  const auto is_about = [&](const config::Warning& warning) {
    const config::Server* const server = place.settings.find(warning.server);
    const bool is_said =
        server != nullptr && !server->disabled && config::is_problem_of(*server, warning);
    return !warning.unreadable && !is_said && (warning.server.empty() || is_wanted(warning.server));
  };
  std::ranges::copy_if(place.settings.warnings, std::back_inserter(facts.warnings), is_about);
  std::ranges::copy_if(config::hidden_servers(place.environment, place.files, place.options),
                       std::back_inserter(facts.hidden),
                       is_wanted,
                       &config::HiddenServer::name);
  std::ranges::copy_if(place.settings.trust_requests,
                       std::back_inserter(facts.trust_requests),
                       is_wanted,
                       &config::TrustRequest::server);
  if (servers.empty()) {
    facts.stale_imports = look_for_stale_imports(place);
  }
  for (const config::Server& server : place.settings.servers) {
    if (is_wanted(server.name)) {
      facts.servers.push_back(facts_of(server, place));
    }
  }
  for (HostFacts& host : facts.hosts) {
    host.is_lost = host.is_lost && servers.empty();
    std::erase_if(host.twice,
                  [&](const HostFacts::Entry& entry) { return !is_wanted(entry.name); });
  }
  std::erase_if(facts.runs, [&](const RunFacts& run) { return !is_wanted(run.server); });
  return facts;
}

}  // namespace pi_mcp::doctor
