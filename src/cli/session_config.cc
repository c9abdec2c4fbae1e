#include "cli/session_config.h"

#include <utility>

#include "base/result.h"
#include "cli/commands/config_change.h"
#include "cli/commands/server_file.h"
#include "cli/commands/setup/setup_talk.h"
#include "cli/show/config_view.h"
#include "cli/trust_record.h"
#include "config/edit.h"
#include "io/process/executable.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {

void SessionConfig::start(gateway::Session* session) {
  session_ = session;
  take_hosts_yes();
  watch_.start(
      {.take = [session](config::Settings settings) { session->reload(std::move(settings)); },
       .warn =
           [session](const std::string& warning) {
             session->notify({.level = registry::LogLevel::warning, .text = warning});
           }});
}

tool::ConfigAccess SessionConfig::access() {
  return {
      .edit = [this](const tool::KeyChange& change) { return edit(change); },
      .user_file = [this] { return shown(users_file()); },
      .add = [this](const tool::NewServer& server) { return add(server); },
      .try_out = [this](const std::string& name,
                        const std::string& entry) { try_out(name, entry); },
      .is_program =
          [this](const std::string& word) {
            return io::find_executable(word, setup_.environment.variables, setup_.environment.cwd)
                .has_value();
          },
      .file_to_edit = [this](const std::string& server) { return file_to_edit(setup_, server); },
      .write_edited =
          [this](const tool::EditedFile& was, const std::string& text) {
            Result<void> written = cli::write_edited(setup_, was, text);
            watch_.reload_now();
            return written;
          },
      .setup = [this](bool undo,
                      tool::CallContext context) { return set_up(undo, std::move(context)); },
      .register_servers =
          [this](std::string servers) {
            registered_ = std::move(servers);
            take_registered();
          },
      .configure = setup_.load_options.given ? take_configuration() : nullptr,
      .trust =
          [this](tool::TrustTerm term, const std::vector<config::TrustRequest>& requests) {
            return take_trust(term, requests);
          },
      .host_trusts =
          [this](bool trusted) {
            setup_.load_options.trust.host = trusted;
            watch_.reload_now();
            take_hosts_yes();
          },
      .begin_session =
          [this](const std::string& /*id*/) {
            if (!std::exchange(setup_.load_options.trust.once, {}).empty()) {
              watch_.reload_now();
            }
          },
  };
}

std::function<void(std::string config)> SessionConfig::take_configuration() {
  return [this](std::string config) {
    setup_.load_options.given = std::move(config);
    watch_.reload_now();
  };
}

// It counts for one reading, which records it; one that is for this run of the host alone is
// remembered here.
void SessionConfig::take_hosts_yes() {
  config::TrustOptions& trust = setup_.load_options.trust;
  if (trust.host.value_or(false)) {
    const std::vector<std::string>& allowed = session_->settings().host_once;
    trust.host_once.insert(allowed.begin(), allowed.end());
  }
  forget_hosts_yes(setup_);
}

Result<void> SessionConfig::take_trust(tool::TrustTerm term,
                                       const std::vector<config::TrustRequest>& requests) {
  if (term == tool::TrustTerm::always) {
    const std::string folder =
        requests.empty() ? session_->settings().folder : own_folder(session_->settings(), requests);
    if (Result<void> kept = record_trust(setup_, {.requests = requests, .folder = folder}); !kept) {
      return kept;
    }
  } else {
    for (const config::TrustRequest& request : requests) {
      setup_.load_options.trust.once.insert(request.digest);
    }
  }
  watch_.reload_now();
  return {};
}

Result<std::string> SessionConfig::edit(const tool::KeyChange& change) {
  const Result<std::string> path = change_server(setup_,
                                                 {.server = change.server,
                                                  .key = std::string(change.key),
                                                  .value_json = change.value_json,
                                                  .path = {},
                                                  .for_folder = change.scope == tool::Scope::here});
  if (!path) {
    return fail(path.error());
  }
  if (!path->empty()) {
    watch_.reload_now();
  }
  return shown(*path);
}

Result<std::string> SessionConfig::add(const tool::NewServer& server) {
  const std::string path = users_file();
  if (const Result<void> added = add_servers(setup_, path, {server}); !added) {
    return fail(added.error());
  }
  watch_.reload_now();
  return shown(path);
}

void SessionConfig::try_out(const std::string& name, const std::string& entry_json) {
  if (entry_json.empty()) {
    tried_.erase(name);
  } else {
    tried_.insert_or_assign(name, entry_json);
  }
  take_registered();
}

// Servers of other extensions, and those that are being tried.
void SessionConfig::take_registered() {
  json::Writer all;
  all.begin_object();
  const Result<json::Document> registered = json::Document::parse_view(registered_);
  if (registered) {
    for (const json::Member member : registered->root().members()) {
      all.member_raw(member.name(), member.value.raw());
    }
  }
  for (const auto& [name, entry] : tried_) {
    all.member_raw(name, entry);
  }
  setup_.load_options.registered = all.end_object().take();
  watch_.reload_now();
}

io::Task<Result<tool::SetupOutcome>> SessionConfig::set_up(bool undo, tool::CallContext context) {
  const bool is_empty = session_->settings().servers.empty();
  Result<tool::SetupOutcome> outcome =
      undo ? undo_setup(setup_) : co_await talk_about_setup(&setup_, is_empty, std::move(context));
  watch_.reload_now();
  co_return outcome;
}

std::string SessionConfig::users_file() const {
  return config::target_file(setup_.environment, setup_.load_options, config::Target::global);
}

std::string SessionConfig::shown(const std::string& path) const {
  return short_path(path, setup_.environment.home);
}

}  // namespace pi_mcp::cli
