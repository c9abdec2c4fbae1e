#include "cli/commands/import_facts.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/real_files.h"
#include "cli/trust_record.h"
#include "config/edit.h"

namespace pi_mcp::cli {
namespace {

// The files of this machine, of which one says something else already.
class EditedFiles : public RealFiles {
 public:
  EditedFiles(std::string path, std::string text)
      : path_(std::move(path)), text_(std::move(text)) {}

  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    return path == path_ ? text_ : RealFiles::read(path);
  }

 private:
  std::string path_;
  std::string text_;
};

config::Imported read(const config::Host& host,
                      const Setup& setup,
                      std::vector<config::Warning>& warnings) {
  // The project's servers come with the import (docs/configuration.md, Trust).
  return config::read_import(host.kind,
                             {.environment = setup.environment,
                              .files = RealFiles(),
                              .warnings = warnings,
                              .is_allowed = [](const config::RawServer&) {
                                return false;
                              }});
}

ImportEntry entry_of(const config::RawServer& raw, const config::Settings& settings) {
  ImportEntry entry{.name = raw.name, .path = raw.origin.path, .hidden_by = {}};
  const config::Server* server = settings.find(raw.name);
  if (server == nullptr) {
    entry.use = EntryUse::own;
  } else if (server->standing == config::Standing::needs_trust) {
    entry.use = EntryUse::waiting;
  } else if (const config::Origin origin = config::definition(*server);
             origin.path != raw.origin.path) {
    entry.use = EntryUse::hidden;
    entry.hidden_by = origin.path;
  } else if (server->disabled) {
    entry.use = EntryUse::disabled;
  }
  return entry;
}

}  // namespace

std::set<std::string> kinds_in_use(const Setup& setup) {
  std::set<std::string> roles;
  for (const config::SourceFile& file :
       config::source_files(setup.environment, RealFiles(), setup.load_options)) {
    roles.insert(file.role);
  }
  std::set<std::string> kinds;
  for (const config::Host& host : config::hosts()) {
    if (roles.contains("import " + std::string(host.kind))) {
      kinds.emplace(host.kind);
    }
  }
  return kinds;
}

bool ImportFacts::has_servers() const {
  return std::ranges::any_of(entries,
                             [](const ImportEntry& entry) { return entry.use != EntryUse::own; });
}

Result<ImportFacts> import_facts(const config::Host& host,
                                 const Setup& setup,
                                 std::string_view user_text,
                                 const std::set<std::string>& in_use) {
  const std::string kind(host.kind);
  std::vector<config::Warning> warnings;
  config::Imported imported = read(host, setup, warnings);
  ImportFacts facts{.kind = kind,
                    .name = std::string(host.name),
                    .in_use = in_use.contains(kind),
                    .entries = {},
                    .left_out = std::move(imported.left_out),
                    .files = std::move(imported.files),
                    .warnings = {}};
  for (config::Warning& warning : warnings) {
    facts.warnings.push_back(std::move(warning.message));
  }
  std::vector<config::RawServer> servers = std::move(imported.servers);
  std::ranges::move(imported.waiting, std::back_inserter(servers));
  if (servers.empty()) {
    return facts;
  }
  const std::string path =
      config::target_file(setup.environment, setup.load_options, config::Target::global);
  Result<std::string> with_it =
      facts.in_use ? std::string(user_text) : config::add_import(user_text, kind);
  if (!with_it) {
    return fail(std::move(with_it.error()).while_doing(path));
  }
  const config::Settings settings = load_configuration(setup, EditedFiles(path, *with_it));
  for (const config::RawServer& server : servers) {
    facts.entries.push_back(entry_of(server, settings));
  }
  return facts;
}

void note_import(const Setup& setup) {
  const std::set<std::string> in_use = kinds_in_use(setup);
  std::vector<std::string> names;
  for (const config::Host& host : config::hosts()) {
    const Result<ImportFacts> facts = import_facts(host, setup, "", in_use);
    if (facts && !facts->in_use && facts->has_servers()) {
      names.push_back(facts->name);
    }
  }
  if (!names.empty()) {
    setup.console->note(text::join(names, ", ") + (names.size() == 1 ? " has" : " have") +
                        " servers; to use them: pi-mcp setup");
  }
}

}  // namespace pi_mcp::cli
