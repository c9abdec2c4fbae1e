#include "setup/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "config/import/reader.h"
#include "config/paths.h"
#include "config/values.h"
#include "json/document.h"
#include "setup/folder.h"
#include "setup/found.h"
#include "setup/our_entry.h"

namespace pi_mcp::setup {
namespace {

constexpr const char* our_name = "pi-mcp";

struct FoundHost {
  const config::Host* host = nullptr;
  std::vector<FoundFile> files;
  std::string problem;
};

// Edits one file step by step and keeps what each did.
class Editor {
 public:
  Editor(std::string path, const std::optional<std::string>& before)
      : change_{
            .path = std::move(path), .before = before, .after = before.value_or(""), .steps = {}} {}

  Result<void> put(const config::EntryPlace& place, const std::string& value) {
    Result<config::PutEntry> put = config::put_entry(change_.after, place, value);
    if (!put) {
      return fail(std::move(put.error()).while_doing(change_.path));
    }
    change_.after = std::exchange(put->text, {});
    change_.steps.emplace_back(PutStep{.place = place, .value = value, .put = *std::move(put)});
    return {};
  }

  Result<void> remove(const config::EntryPlace& place) {
    Result<config::RemovedEntry> removed = config::remove_entry(change_.after, place);
    if (!removed) {
      return fail(std::move(removed.error()).while_doing(change_.path));
    }
    change_.after = std::exchange(removed->text, {});
    change_.steps.emplace_back(RemoveStep{.place = place, .removed = *std::move(removed)});
    return {};
  }

  Result<void> add_to(const std::vector<std::string>& list, const std::string& name) {
    ListStep step{.path = list, .names = {name}, .made = false};
    Result<std::string> after = add_to_list(change_.after, step);
    if (!after) {
      return fail(std::move(after.error()).while_doing(change_.path));
    }
    change_.after = *std::move(after);
    change_.steps.emplace_back(std::move(step));
    return {};
  }

  [[nodiscard]] const std::string& text() const { return change_.after; }
  void take_into(std::vector<FileChange>& changes) {
    if (!change_.steps.empty()) {
      changes.push_back(std::move(change_));
    }
  }

 private:
  FileChange change_;
};

bool is_here(const config::Host& host,
             const std::vector<config::HostFile>& places,
             const config::Environment& environment,
             const config::FileSource& files) {
  if (host.is_here != nullptr) {
    return host.is_here(environment, files);
  }
  return host.user_files != nullptr &&
         std::ranges::any_of(places, [&files](const config::HostFile& file) {
           return files.is_file(file.path) ||
                  (!file.seen_by.empty() && files.is_directory(file.seen_by));
         });
}

// A host whose entry cannot be written, or of which a file cannot be read, keeps its servers: else
// it would be left with neither.
std::string problem_of(const FoundHost& found, const PlanOptions& options) {
  for (const FoundFile& file : found.files) {
    if (!file.file.stays.empty()) {
      continue;
    }
    if (!file.problem.empty()) {
      return file.file.path + ": " + file.problem;
    }
    const std::string refusal =
        options.refusal && (file.text || file.takes_ours) ? options.refusal(file.file.path) : "";
    if (!refusal.empty()) {
      return file.file.path + " " + refusal;
    }
    for (const FoundEntry& entry : file.entries) {
      if (file.takes_ours && entry.name == our_name && !entry.starts_us) {
        return file.file.path + " has another server that is called pi-mcp; rename it";
      }
    }
  }
  const bool takes = std::ranges::any_of(found.files, &FoundFile::takes_ours);
  return takes ? "" : "it has no file of its own that pi-mcp's entry can go to";
}

// `projects` of a JSON file: Claude Code keeps servers of one folder there.
void add_projects(const FoundFile& file, std::vector<ProjectEntries>& projects) {
  if (file.file.format != config::FileFormat::json || !file.text) {
    return;
  }
  const Result<json::Document> document = json::Document::parse_view(*file.text);
  for (const json::Member project :
       document ? document->root().find("projects").members() : json::Value().members()) {
    ProjectEntries found{.path = file.file.path, .folder = project.name(), .names = {}};
    for (const json::Member entry : project.value.find("mcpServers").members()) {
      found.names.push_back(entry.name());
    }
    if (!found.names.empty()) {
      projects.push_back(std::move(found));
    }
  }
}

// Files in the folder of the session that this host reads.
void add_folder(const config::Host& host,
                const config::Environment& environment,
                const config::FileSource& files,
                std::vector<ProjectEntries>& projects) {
  std::vector<config::Warning> unheard;
  const config::Imported imported =
      config::read_import(host.kind,
                          {.environment = environment,
                           .files = files,
                           .warnings = unheard,
                           .is_allowed = [](const config::RawServer&) { return false; },
                           .folder_trusted = false});
  std::map<std::string, std::vector<std::string>> names;
  for (const config::RawServer& server : imported.waiting) {
    names[server.origin.path].push_back(server.name);
  }
  for (auto& [path, servers] : names) {
    projects.push_back({.path = path, .folder = environment.cwd, .names = std::move(servers)});
  }
}

// Which servers the user's file has and gets.
class Servers {
 public:
  // invalid_argument: the file is not JSON.
  static Result<Servers> of(const std::string& path, const std::optional<std::string>& text) {
    Servers servers(Editor(path, text));
    const config::HostFile file{.path = path, .members = {{"mcpServers"}, {"mcp-servers"}}};
    servers.file_ = file;
    if (const auto readable = config::read_entry(text.value_or(""), servers.place(our_name));
        !readable) {
      return fail(Error(readable.error()).while_doing(path));
    }

    const Result<json::Document> document =
        json::Document::parse(text.value_or("{}"), {.syntax = json::Syntax::jsonc});
    for (const std::vector<std::string>& at : file.members) {
      for (const json::Member entry :
           document ? document->root().find(at[0]).members() : json::Value().members()) {
        servers.add(entry.name(), config::RawObject::from(entry.value));
      }
    }
    return servers;
  }

  // The server that this entry becomes: a name that is new, or the one it has already.
  Result<PlannedEntry> take(const FoundEntry& entry, const config::Host& host) {
    PlannedEntry planned{.name = entry.name,
                         .fate = Fate::moves,
                         .new_name = entry.name,
                         .reason = {},
                         .notes = entry.notes,
                         .disabled = entry.fields.find("disabled").bool_or(false)};
    const std::string same = sameness(entry.fields);
    if (const auto known = by_content_.find(same); known != by_content_.end()) {
      planned.fate = Fate::joins;
      planned.new_name = known->second;
      return enabled_with(std::move(planned), entry);
    }
    if (names_.contains(entry.name)) {
      planned.new_name = free_name(entry.name + "-" + std::string(host.kind));
      planned.reason = "another server is called " + entry.name;
    }
    config::RawObject fields = entry.fields;
    if (const auto choices = choices_.find(planned.new_name); choices != choices_.end()) {
      for (const config::RawField& field : choices->second.fields()) {
        fields.set(field);
      }
    }
    if (Result<void> put = editor_.put(place(planned.new_name), fields.text()); !put) {
      return fail(std::move(put.error()));
    }
    names_.insert(planned.new_name);
    by_content_[same] = planned.new_name;
    if (planned.disabled) {
      disabled_[planned.new_name] = fields;
    }
    return planned;
  }

  void take_into(std::vector<FileChange>& changes) { editor_.take_into(changes); }

 private:
  explicit Servers(Editor editor) : editor_(std::move(editor)) {}

  // What a file says without a transport are choices about a server that a host defines
  // (`disabled`, `directTools`): they go on to apply to it.
  void add(const std::string& name, const config::RawObject& fields) {
    const bool has_transport =
        fields.find("command") || fields.find("url") || fields.find("socket");
    if (has_transport) {
      names_.insert(name);
      by_content_[sameness(fields)] = name;
    } else {
      choices_[name] = fields;
    }
  }

  // A server that one host has switched off and another one uses is on.
  Result<PlannedEntry> enabled_with(PlannedEntry planned, const FoundEntry& entry) {
    const auto off = disabled_.find(planned.new_name);
    if (planned.disabled || off == disabled_.end()) {
      return planned;
    }
    off->second.take("disabled");
    if (Result<void> put = editor_.put(place(planned.new_name), off->second.text()); !put) {
      return fail(std::move(put.error()));
    }
    disabled_.erase(off);
    planned.reason = entry.name + " is switched off in another host and on here";
    return planned;
  }

  [[nodiscard]] std::string free_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int number = 2; names_.contains(name); ++number) {
      name = wanted + "-" + std::to_string(number);
    }
    return name;
  }

  [[nodiscard]] config::EntryPlace place(const std::string& name) const {
    return place_in(file_, editor_.text(), name);
  }

  Editor editor_;
  config::HostFile file_;
  std::set<std::string> names_;
  std::map<std::string, std::string> by_content_;      // sameness → name
  std::map<std::string, config::RawObject> choices_;   // by name
  std::map<std::string, config::RawObject> disabled_;  // new ones that are switched off so far
};

Variables variables_of(const std::vector<FoundHost>& hosts) {
  Variables variables;
  for (const FoundHost& host : hosts) {
    for (const FoundFile& file : host.files) {
      for (const FoundEntry& entry : file.entries) {
        if (host.problem.empty() && entry.stays.empty() && !entry.starts_us) {
          variables.all.insert(entry.variables.begin(), entry.variables.end());
          variables.set.insert(entry.set_variables.begin(), entry.set_variables.end());
        }
      }
    }
  }
  return variables;
}

// Whether the file names the servers that may run, and us not among them.
bool must_be_allowed(const FoundFile& found) {
  const json::Document document =
      json::Document::parse(found.text.value_or("{}"), {.syntax = json::Syntax::jsonc})
          .value_or(json::Document());
  json::Value allowed = document.root();
  for (const std::string& name : found.file.allow_list) {
    allowed = allowed.find(name);
  }
  return allowed.is_array() &&
         std::ranges::none_of(config::text_list_of(allowed), [](const std::string& glob) {
           return text::glob_match(glob, our_name);
         });
}

// Our entry, and what else the host wants before it starts us.
Result<void> put_ours(const FoundFile& found, const std::string& entry, Editor& editor) {
  const std::string any = found.entries.empty() ? our_name : found.entries.front().name;
  config::EntryPlace place = place_in(found.file, found.text.value_or(""), any);
  place.name = our_name;
  const Result<void> put = editor.put(place, entry);
  return put && must_be_allowed(found) ? editor.add_to(found.file.allow_list, our_name) : put;
}

// What else the entry says stays.
Result<void> mend_ours(const FoundEntry& entry, const std::string& program, Editor& editor) {
  const Result<std::optional<std::string>> written = config::read_entry(editor.text(), entry.place);
  if (!written || !*written) {
    return written ? Result<void>() : fail(written.error());
  }
  return editor.put(entry.place, mended_entry(**written, entry.lost, program));
}

struct HostContext {
  const config::Host& host;
  std::string entry;    // ours, for it
  std::string program;  // see PlanOptions
  bool copy = false;
};

// An entry of the file that starts us: mended where its program is gone.
Result<void> plan_ours(const FoundFile& found,
                       const FoundEntry& entry,
                       const std::string& program,
                       Editor& editor,
                       PlannedFile& planned) {
  const bool is_lost = !entry.lost.empty() && found.file.stays.empty();
  if (!is_lost && planned.ours == Ours::mended) {
    return {};
  }
  planned.ours = is_lost ? Ours::mended : Ours::there;
  planned.our_name = entry.name;
  planned.our_command = entry.command;
  return is_lost ? mend_ours(entry, program, editor) : Result<void>();
}

// What happens to one file of a host; `editor` makes the change of it.
Result<PlannedFile> plan_file(const FoundFile& found,
                              const HostContext& context,
                              Servers& servers,
                              Editor& editor) {
  PlannedFile planned{.file = found.file,
                      .exists = found.text.has_value(),
                      .ours = found.takes_ours ? Ours::added : Ours::nothing,
                      .our_name = {},
                      .our_command = {},
                      .entries = {}};
  for (const FoundEntry& entry : found.entries) {
    if (entry.starts_us) {
      const Result<void> ours = plan_ours(found, entry, context.program, editor, planned);
      if (!ours) {
        return fail(ours.error());
      }
    } else if (!entry.stays.empty()) {
      planned.entries.push_back({.name = entry.name,
                                 .fate = Fate::stays,
                                 .new_name = {},
                                 .reason = entry.stays,
                                 .notes = entry.notes,
                                 .disabled = false});
    } else {
      Result<PlannedEntry> taken = servers.take(entry, context.host);
      if (!taken) {
        return fail(std::move(taken.error()));
      }
      if (const Result<void> removed = context.copy ? Result<void>() : editor.remove(entry.place);
          !removed) {
        return fail(removed.error());
      }
      planned.entries.push_back(*std::move(taken));
    }
  }
  if (planned.ours != Ours::added) {
    return planned;
  }
  planned.our_name = our_name;
  if (const Result<void> put = put_ours(found, context.entry, editor); !put) {
    return fail(put.error());
  }
  return planned;
}

// Tried on a copy of `servers`: a host whose files cannot be edited changes nothing.
PlannedHost plan_host(FoundHost& found, const HostContext& context, Servers& servers, Plan& plan) {
  PlannedHost planned{
      .host = found.host, .problem = std::move(found.problem), .files = {}, .projects = {}};
  Servers tried = servers;
  std::vector<FileChange> changes;
  for (const FoundFile& file : found.files) {
    add_projects(file, planned.projects);
    if (!planned.problem.empty()) {
      continue;
    }
    Editor editor(file.file.path, file.text);
    Result<PlannedFile> one = plan_file(file, context, tried, editor);
    if (!one) {
      planned.problem = one.error().message();
      planned.files.clear();
      continue;
    }
    editor.take_into(changes);
    if (one->exists || one->ours != Ours::nothing) {
      planned.files.push_back(*std::move(one));
    }
  }
  if (planned.problem.empty()) {
    servers = std::move(tried);
    std::ranges::move(changes, std::back_inserter(plan.changes));
  }
  return planned;
}

Result<void> check_kinds(const std::vector<std::string>& wanted) {
  for (const std::string& kind : wanted) {
    if (config::find_host(kind) == nullptr) {
      std::vector<std::string> known;
      for (const config::Host& host : config::hosts()) {
        known.emplace_back(host.kind);
      }
      return fail(ErrorCode::not_found,
                  "there is no host \"" + text::printable(kind) + "\"; there are " +
                      text::join(known, ", "));
    }
  }
  return {};
}

}  // namespace

Result<Plan> make_plan(const config::Environment& environment,
                       const config::FileSource& files,
                       const PlanOptions& options) {
  if (const Result<void> known = check_kinds(options.hosts); !known) {
    return fail(known.error());
  }
  Result<std::optional<std::string>> own = files.read(options.user_file);
  if (!own) {
    return fail(std::move(own.error()).while_doing(options.user_file));
  }
  Result<Servers> servers = Servers::of(options.user_file, *std::move(own));
  if (!servers) {
    return fail(std::move(servers.error()));
  }
  Plan plan{.hosts = {}, .looked_for = {}, .user_file = options.user_file, .changes = {}};
  std::set<std::string> seen = {files.canonical(options.user_file)};
  std::vector<FoundHost> here;
  for (const config::Host& host : config::hosts()) {
    if (!options.hosts.empty() &&
        std::ranges::find(options.hosts, host.kind) == options.hosts.end()) {
      continue;
    }
    const std::vector<config::HostFile> places = host.user_files(environment, files);
    if (!is_here(host, places, environment, files)) {
      plan.looked_for.emplace_back(host.name);
      continue;
    }
    FoundHost found{.host = &host, .files = {}, .problem = {}};
    for (const config::HostFile& place : places) {
      if (seen.insert(files.canonical(place.path)).second) {
        found.files.push_back(read_host_file(host, place, environment, files));
      }
    }
    found.problem = host.entry.empty() ? std::string(instead_of_entry(host, environment, files))
                                       : problem_of(found, options);
    here.push_back(std::move(found));
  }
  const Variables variables = variables_of(here);
  for (FoundHost& found : here) {
    const HostContext context{
        .host = *found.host,
        .entry = found.problem.empty() ? our_entry(*found.host, options.program, variables) : "",
        .program = options.program,
        .copy = options.copy};
    PlannedHost planned = plan_host(found, context, *servers, plan);
    add_folder(*found.host, environment, files, planned.projects);
    plan.hosts.push_back(std::move(planned));
  }
  std::vector<FileChange> changes;
  servers->take_into(changes);
  for (FileChange& change : changes) {
    change.is_users = true;
  }
  std::ranges::move(plan.changes, std::back_inserter(changes));
  plan.changes = std::move(changes);
  return plan;
}

}  // namespace pi_mcp::setup
