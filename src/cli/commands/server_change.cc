#include "cli/commands/server_change.h"

#include <algorithm>

#include "base/text.h"
#include "cli/commands/config_change.h"
#include "cli/nearest_server.h"
#include "cli/real_files.h"
#include "cli/show/config_view.h"
#include "cli/trust_record.h"
#include "config/load.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

config::Settings load(const Setup& setup) {
  return load_configuration(setup, RealFiles());
}

bool says(const config::Server& server, const ServerChange& change) {
  if (change.key == "disabled") {
    return server.disabled == (change.value_json == "true");
  }
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  const json::Value value = entry ? entry->root().find(change.key) : json::Value();
  return value && json::compact(value) == change.value_json;
}

std::string file_of(const Setup& setup, const config::Server& server, const ServerChange& change) {
  const auto origin = server.origins.find(change.key);
  const bool own = origin != server.origins.end() && origin->second.import_kind.empty();
  return change.path.value_or(
      own ? origin->second.path
          : config::changed_file(server, setup.environment, setup.load_options));
}

// Whether the change would go into a file of the project. What the user chooses for a project is
// stored in the user's folder instead: the project's file stays what was trusted.
bool is_projects(const Setup& setup, const config::Server& server, const ServerChange& change) {
  if (change.path) {
    return false;
  }
  const auto origin = server.origins.find(change.key);
  const bool said = origin != server.origins.end() && origin->second.import_kind.empty();
  const config::Origin where = said ? origin->second : config::definition(server);
  return where.project || where.path == config::trust_file(setup.environment);
}

// What is wrong with the first file that had to be left out; empty when all could be read.
std::string damage_of(const config::Settings& settings) {
  const auto damaged = std::ranges::find_if(settings.warnings, [](const config::Warning& warning) {
    return warning.message.find(config::file_left_out) != std::string::npos;
  });
  return damaged == settings.warnings.end() ? "" : damaged->message;
}

}  // namespace

Result<std::string> change_server(const Setup& setup, const ServerChange& change) {
  const config::Settings before = load(setup);
  const config::Server* server = before.find(change.server);
  if (server == nullptr) {
    if (const std::string damage = damage_of(before); !damage.empty()) {
      return fail(ErrorCode::invalid_argument, damage);
    }
    const std::string nearest = nearest_server(before, change.server);
    return fail(ErrorCode::not_found,
                "there is no server \"" + text::printable(change.server) + "\"" +
                    (nearest.empty() ? "; pi-mcp status shows all"
                                     : "; did you mean \"" + text::printable(nearest) + "\"?"));
  }
  if (!change.path && !change.for_folder && says(*server, change)) {
    return std::string();
  }
  if (change.for_folder || is_projects(setup, *server, change)) {
    const Result<void> kept = record_choice(setup,
                                            {.folder = before.folder,
                                             .server = change.server,
                                             .key = change.key,
                                             .value = change.value_json});
    return kept ? config::trust_file(setup.environment) : Result<std::string>(fail(kept.error()));
  }
  const std::string path = file_of(setup, *server, change);
  const Result<Change> changed = change_file(setup, path, [&change](std::string_view text) {
    return config::set_server_key(text, change.server, change.key, change.value_json);
  });
  if (!changed) {
    return fail(changed.error());
  }
  const config::Settings after = load(setup);
  const config::Server* now = after.find(change.server);
  if (now != nullptr && !says(*now, change)) {
    const auto origin = now->origins.find(change.key);
    const std::string& home = setup.environment.home;
    return fail(ErrorCode::invalid_argument,
                short_path(path, home) + " was changed, but " +
                    (origin == now->origins.end() ? "another file"
                                                  : short_path(origin->second.path, home)) +
                    " comes later and overrides it");
  }
  return *changed == Change::made ? path : std::string();
}

}  // namespace pi_mcp::cli
