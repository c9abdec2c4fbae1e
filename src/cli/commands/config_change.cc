#include "cli/commands/config_change.h"

#include <utility>

#include "cli/real_files.h"
#include "cli/show/config_view.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "config/edit.h"
#include "config/load.h"
#include "io/files/file.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// An edit takes milliseconds; whoever holds the lock for longer is stuck.
constexpr Milliseconds lock_wait_max{5000};

config::Settings load(const Setup& setup) {
  return load_configuration(setup, RealFiles());
}

bool says(const config::Server& server, const ServerChange& change) {
  if (change.key == "disabled") {
    return server.disabled == (change.value_json == "true");
  }
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  const json::Value value = entry ? entry->root().find(change.key) : json::Value();
  return value ? json::compact(value) == change.value_json : change.value_json.empty();
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

}  // namespace

Result<Change> change_file(const Setup& setup,
                           const std::string& path,
                           const std::function<Result<std::string>(std::string_view)>& edit) {
  Result<Change> outcome = Change::not_needed;
  const auto edited = [&](const std::string& old) -> std::optional<std::string> {
    Result<std::string> text = edit(old);
    if (!text) {
      outcome = fail(std::move(text.error()).while_doing(short_path(path, setup.environment.home)));
      return std::nullopt;
    }
    if (*text == old) {
      return std::nullopt;
    }
    outcome = Change::made;
    return *std::move(text);
  };
  const std::string locked = config::agent_dir(setup.environment) + "/mcp.json";
  const bool is_locked_file = io::canonical_path(locked) == io::canonical_path(path);
  const auto change = [&](const std::string& text) -> std::optional<std::string> {
    if (is_locked_file) {
      return edited(text);
    }
    const Result<std::optional<std::string>> old = io::read_file(path);
    if (!old) {
      outcome = fail(old.error());
      return std::nullopt;
    }
    if (const std::optional<std::string> changed = edited(old->value_or(""))) {
      if (Result<void> written = io::write_file(path, *changed); !written) {
        outcome = fail(std::move(written.error()));
      }
    }
    return std::nullopt;
  };
  if (Result<void> updated = io::update_file(locked, change, lock_wait_max); !updated) {
    return fail(std::move(updated.error()));
  }
  return outcome;
}

namespace {

Result<std::string> keep_for_folder(const Setup& setup,
                                    const std::string& folder,
                                    const ServerChange& change) {
  const Result<void> kept =
      record_choice(setup,
                    {.folder = folder,
                     .server = change.server,
                     .key = change.key,
                     .value = change.value_json.empty() ? "null" : change.value_json});
  return kept ? config::trust_file(setup.environment) : Result<std::string>(fail(kept.error()));
}

Result<std::string> change_in_file(const Setup& setup,
                                   const config::Server& server,
                                   const ServerChange& change) {
  const std::string path = file_of(setup, server, change);
  const Result<Change> changed = change_file(setup, path, [&change](std::string_view text) {
    return change.value_json.empty()
               ? config::remove_server_key(text, change.server, change.key)
               : config::set_server_key(text, change.server, change.key, change.value_json);
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

// Takes away what disables the server, first what was chosen for this folder.
Result<std::string> enable(const Setup& setup, const std::string& folder, ServerChange change) {
  config::Settings now = load(setup);
  const config::Server* server = now.find(change.server);
  const auto origin = server->origins.find("disabled");
  const std::string choices = config::trust_file(setup.environment);
  change.value_json.clear();
  if (origin != server->origins.end() && origin->second.path == choices) {
    Result<std::string> forgotten = keep_for_folder(setup, folder, change);
    now = load(setup);
    server = now.find(change.server);
    if (!forgotten || server == nullptr || !server->disabled) {
      return forgotten;
    }
  }
  const bool is_here = change.for_folder || is_projects(setup, *server, change);
  if (!is_here) {
    const std::string path = file_of(setup, *server, change);
    const Result<Change> removed = change_file(setup, path, [&change](std::string_view text) {
      return config::remove_server_key(text, change.server, change.key);
    });
    now = load(setup);
    server = now.find(change.server);
    if (!removed || server == nullptr || !server->disabled) {
      return removed ? Result<std::string>(path) : fail(removed.error());
    }
    change.path = path;
  }
  change.value_json = "false";
  return is_here ? keep_for_folder(setup, folder, change) : change_in_file(setup, *server, change);
}

}  // namespace

Result<std::string> change_server(const Setup& setup, const ServerChange& change) {
  const config::Settings before = load(setup);
  const config::Server* server = before.find(change.server);
  if (server == nullptr) {
    return fail(unknown_server(before, change.server));
  }
  if (!change.path && !change.for_folder && says(*server, change)) {
    return std::string();
  }
  if (change.key == "disabled" && change.value_json == "false") {
    return enable(setup, before.folder, change);
  }
  if (change.for_folder || is_projects(setup, *server, change)) {
    return keep_for_folder(setup, before.folder, change);
  }
  return change_in_file(setup, *server, change);
}

}  // namespace pi_mcp::cli
