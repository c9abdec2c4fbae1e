#include "setup/found.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/import/imports.h"
#include "config/interpolate.h"
#include "config/merge.h"
#include "config/server.h"
#include "json/canonical.h"
#include "json/document.h"

namespace pi_mcp::setup {
namespace {

using config::FileSource;

// The folder of a session while entries are translated: there is none, and nothing in it.
constexpr std::string_view any_folder = "/.pi-mcp-any-folder";

// The files of a machine on which a host has one of its files of servers alone, with whatever else
// it goes by (which of them are switched off).
class OneFile : public config::ForwardedFiles {
 public:
  OneFile(const FileSource& files, std::set<std::string> others)
      : ForwardedFiles(files), others_(std::move(others)) {}
  [[nodiscard]] Result<std::optional<std::string>> read(const std::string& path) const override {
    return others_.contains(path) ? std::optional<std::string>() : ForwardedFiles::read(path);
  }

 private:
  std::set<std::string> others_;
};

std::set<std::string> other_files(const config::Host& host,
                                  const std::string& path,
                                  const config::Environment& environment,
                                  const FileSource& files) {
  std::set<std::string> others;
  for (config::HostFile& file : host.user_files(environment, files)) {
    others.insert(std::move(file.path));
  }
  others.erase(path);
  return others;
}

config::Server as_server(const config::RawServer& raw) {
  config::MergedServer merged{.name = raw.name,
                              .fields = raw.fields,
                              .origin = raw.origin,
                              .standing = config::Standing::user,
                              .replaces_users = false};
  return make_server(merged, config::Settings());
}

std::string command_of(const config::Server& server) {
  std::vector<std::string> words = server.args;
  words.insert(words.begin(), server.command.value_or(server.url.value_or("")));
  return text::join(words, " ");
}

// Variables that our entry's fields name, and Codex's `env_vars`, which the translation leaves out.
void add_variables(FoundEntry& entry,
                   std::string_view text,
                   const config::Environment& environment) {
  const config::Interpolated used = interpolate(entry.fields.text(), environment);
  entry.variables.insert(used.missing.begin(), used.missing.end());
  for (const config::Inserted& one : used.inserted) {
    entry.variables.insert(one.name);
  }
  entry.variables.insert(entry.fields.find("bearerTokenEnv").string_or(""));
  const std::optional<std::string> own =
      config::read_entry(text, entry.place).value_or(std::nullopt);
  const json::Document written = config::parse_trusted(own.value_or("{}"));
  for (const json::Value name : written.root().find("env_vars").elements()) {
    entry.variables.insert(name.is_string() ? name.string_or("") : name.find("name").string_or(""));
  }
  entry.variables.erase("");
  for (const std::string& name : entry.variables) {
    if (environment.variable(name)) {
      entry.set_variables.insert(name);
    }
  }
}

FoundEntry found_entry(const config::RawServer& raw,
                       const FoundFile& file,
                       const config::Environment& environment,
                       const std::vector<config::Warning>& warnings) {
  const config::Server server = as_server(raw);
  FoundEntry entry{.name = raw.name,
                   .fields = raw.fields,
                   .place = place_in(file.file, *file.text, raw.name),
                   .notes = {},
                   .stays = {},
                   .starts_us = starts_this_program(server),
                   .command = command_of(server),
                   .lost = {},
                   .set_variables = {},
                   .variables = {}};
  add_variables(entry, *file.text, environment);
  for (const config::Warning& warning : warnings) {
    if (warning.server == raw.name) {
      const std::string_view message = warning.message;  // the plan says the file above it
      const std::string where = raw.origin.path + ": ";
      entry.notes.emplace_back(message.substr(message.starts_with(where) ? where.size() : 0));
    }
  }
  if (raw.depends_on_folder) {
    entry.stays = "it depends on the folder in which the host runs";
    entry.notes.clear();
  } else if (!file.file.stays.empty()) {
    entry.stays = file.file.stays;
    entry.notes.clear();
  } else if (server.problem) {
    entry.stays = "it says neither command nor url that can be used";
  } else if (!config::read_entry(*file.text, entry.place).value_or(std::nullopt)) {
    entry.stays = "its place in the file was not found";
  }
  return entry;
}

}  // namespace

config::EntryPlace place_in(const config::HostFile& file,
                            std::string_view text,
                            const std::string& name) {
  config::EntryPlace place{
      .format = file.format, .at = file.members.front(), .name = name, .list = file.is_list};
  for (const std::vector<std::string>& at : file.members) {
    config::EntryPlace here = place;
    here.at = at;
    if (config::read_entry(text, here).value_or(std::nullopt)) {
      return here;
    }
  }
  return place;
}

FoundFile read_host_file(const config::Host& host,
                         const config::HostFile& file,
                         const config::Environment& environment,
                         const FileSource& files) {
  FoundFile found{.file = file, .text = {}, .problem = {}, .takes_ours = false, .entries = {}};
  Result<std::optional<std::string>> text = files.read_regular(file.path);
  if (!text) {
    found.problem = text.error().message();
    return found;
  }
  found.text = *std::move(text);
  found.takes_ours =
      file.ours && (found.text || (!file.seen_by.empty() && files.is_directory(file.seen_by)));
  if (!found.text || host.read == nullptr) {
    return found;
  }
  const Result<std::optional<std::string>> readable =
      config::read_entry(*found.text, place_in(file, *found.text, "pi-mcp"));
  if (!readable) {
    found.problem = readable.error().message();
    return found;
  }
  config::Environment anywhere = environment;
  anywhere.cwd = any_folder;
  std::vector<config::Warning> warnings;
  const OneFile one(files, other_files(host, file.path, environment, files));
  const config::Imported imported =
      config::read_import(host.kind,
                          {.environment = anywhere,
                           .files = one,
                           .warnings = warnings,
                           .is_allowed = [](const config::RawServer&) { return false; },
                           .folder_trusted = false});
  for (const config::RawServer& raw : imported.servers) {
    FoundEntry& entry = found.entries.emplace_back(found_entry(raw, found, environment, warnings));
    const std::string command = raw.fields.find("command").string_or("");
    if (entry.starts_us && config::is_lost_program(command, files)) {
      entry.lost = command;
    }
  }
  for (const config::LeftOut& left : imported.left_out) {
    found.entries.push_back({.name = left.server,
                             .fields = {},
                             .place = {},
                             .notes = {},
                             .stays = "it " + left.reason,
                             .starts_us = false,
                             .command = {},
                             .lost = {},
                             .set_variables = {},
                             .variables = {}});
  }
  return found;
}

std::string sameness(const config::RawObject& fields) {
  config::RawObject rest = fields;
  rest.take("disabled");
  const bool is_plain_type =
      rest.find("command") ? rest.find("type").equals("stdio") : rest.find("type").equals("http");
  if (is_plain_type) {
    rest.take("type");
  }
  for (const std::string_view key : {"args", "env", "headers"}) {
    if (rest.find(key).size() == 0) {
      rest.take(key);
    }
  }
  return json::canonical(config::parse_trusted(rest.text()).root());
}

}  // namespace pi_mcp::setup
