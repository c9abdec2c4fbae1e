#include "config/import/reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/interpolate.h"
#include "config/parse.h"
#include "config/paths.h"
#include "config/project/plain_names.h"
#include "config/project/project_files.h"
#include "config/project/project_folders.h"
#include "config/sources.h"
#include "config/trust/digest.h"
#include "json/canonical.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// What editors call the session's folder.
std::optional<std::string> folder_variable(std::string_view token, const Environment& environment) {
  if (token == "${workspaceFolder}" || token == "${workspaceRoot}" || token == "${cwd}") {
    return environment.cwd;
  }
  if (token == "${workspaceFolderBasename}" || token == "${workspaceRootFolderName}") {
    return std::string(base_name(environment.cwd));
  }
  return std::nullopt;
}

std::optional<std::string> editor_variable(std::string_view token, const Environment& environment) {
  std::string separator = environment.platform == Platform::windows ? "\\" : "/";
  if (token == "${userHome}") {
    return environment.home;
  }
  if (token == "${pathSeparator}" || token == "${/}") {
    return separator;
  }
  return std::nullopt;
}

// The variable that begins at `at`, up to the first closing brace behind it; empty: none does. That
// brace is remembered in `close`, since there may be many openings and no brace.
std::string_view token_at(std::string_view text, std::size_t at, std::size_t& close) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with("${") && !rest.starts_with('{')) {
    return {};
  }
  if (close <= at) {
    close = std::min(text.find('}', at), text.size());
  }
  return close == text.size() ? std::string_view() : text.substr(at, close + 1 - at);
}

// A value that starts with "!" is plain text in every host we import from; here it would run.
std::string literal(std::string value) {
  return value.starts_with('!') ? "!" + std::move(value) : value;
}

void keep_literal(RawObject& fields, std::string_view key) {
  if (const json::Value value = fields.find(key)) {
    fields.set(key, rewrite_strings(value, literal));
  }
}

}  // namespace

std::string ImportReader::home(std::string_view relative) const {
  return join_path(environment_, environment_.home, relative);
}

std::string ImportReader::project(std::string_view relative) {
  std::string path = join_path(environment_, environment_.cwd, relative);
  note_project_file(path);
  if (is_there(path)) {
    return path;
  }
  for (const std::string& folder : folders_above_) {
    std::string above = join_path(environment_, folder, relative);
    if (is_there(above) && counts_above(files_, folder, above, warnings_)) {
      note_project_file(above);
      above_.try_emplace(above, environment_).first->second.cwd = folder;
      return above;
    }
  }
  return path;
}

bool ImportReader::is_there(const std::string& path) const {
  (void)files_.read_regular(path);  // what was read is watched
  return files_.is_file(path);
}

std::vector<std::string> ImportReader::project_folders() const {
  std::vector<std::string> folders = {environment_.cwd};
  folders.insert(folders.end(), folders_above_.begin(), folders_above_.end());
  return folders;
}

std::vector<std::string> ImportReader::folders_of(const std::string& path) {
  return folder_and_root(environment_of(path).cwd, folders_above_);
}

std::vector<std::string> ImportReader::paths(HostFilesOf user_files,
                                             std::initializer_list<std::string_view> project) {
  std::vector<std::string> paths;
  std::set<std::string> own;
  for (HostFile& file : user_files(environment_, files_)) {
    own.insert(files_.canonical(file.path));
    paths.push_back(std::move(file.path));
  }
  for (const std::string_view relative : project) {
    // In the home directory both are the same file, and the user's.
    if (!own.contains(files_.canonical(join_path(environment_, environment_.cwd, relative)))) {
      paths.push_back(this->project(relative));
    }
  }
  return paths;
}

const Environment& ImportReader::environment_of(const std::string& path) {
  const auto found = above_.find(path);
  return found == above_.end() ? environment_ : found->second;
}

std::optional<std::string> ImportReader::read(const std::string& path) {
  if (!seen_.insert(files_.canonical(path)).second) {
    return std::nullopt;
  }
  const bool is_project = project_files_.contains(path);
  if (is_project && leads_to_users(environment_, files_, path, warnings_)) {
    return std::nullopt;
  }
  ImportedFile& file = result_.files.emplace_back();
  file.file = {.path = path, .role = {}, .project = is_project};
  Result<std::optional<std::string>> text =
      is_project ? files_.read_regular(path) : files_.read(path);
  file.found = !text || text->has_value();
  if (!text) {
    note_unreadable(text.error().message());
    return std::nullopt;
  }
  return *std::move(text);
}

std::optional<json::Document> ImportReader::read_json(const std::string& path) {
  std::optional<std::string> text = read(path);
  if (!text) {
    return std::nullopt;
  }
  std::vector<Warning> problems;
  std::optional<json::Document> document = parse_json_file(*std::move(text), path, problems);
  for (Warning& problem : problems) {
    if (has_strangers_name(path)) {
      note_unreadable("it cannot be understood");
    } else {
      result_.files.back().problem = problem.message;
      warnings_.push_back(std::move(problem));
    }
  }
  return document;
}

std::optional<json::Document> ImportReader::read_converted(
    const std::string& path, Result<std::string> (*to_json)(std::string_view text)) {
  const std::optional<std::string> text = read(path);
  if (!text) {
    return std::nullopt;
  }
  if (is_project_file(path) && converted_bytes_ > strangers_bytes_max) {
    note_unreadable(path + ": the project's files before it say too much");
    return std::nullopt;
  }
  const Result<std::string> json = to_json(*text);
  if (!json) {
    note_unreadable(path + ": " + json.error().message());
    return std::nullopt;
  }
  converted_bytes_ += is_project_file(path) ? json->size() : 0;  // aliases make much of little
  return parse_trusted(*json);
}

bool ImportReader::has_strangers_name(const std::string& path) const {
  return is_project_file(path) && !folder_trusted_ && !has_plain_names(path, environment_.cwd);
}

void ImportReader::note_unreadable(const std::string& why) {
  ImportedFile& file = result_.files.back();
  const std::string& path = file.file.path;
  file.problem = has_strangers_name(path) ? std::string(parent_path(environment_, path)) +
                                                ": a file in it cannot be read"
                                          : why;
  config::warn_unreadable(warnings_, path, file.problem);
}

void ImportReader::warn(const std::string& path,
                        std::string_view message,
                        std::string_view server) {
  config::warn(warnings_, path, message, server);
}

void ImportReader::note_unused(const RawServer& server, std::string_view key) {
  const std::string& path = server.origin.path;
  if (notes_ != nullptr && unused_.insert(path + '\n' + std::string(key)).second) {
    config::warn(*notes_,
                 path,
                 "\"" + std::string(key) + "\" of server \"" + server.name +
                     "\" concerns that program alone and does nothing here");
  }
}

void ImportReader::warn_unused(const RawServer& server,
                               std::string_view key,
                               std::string_view instead) {
  const std::string& path = server.origin.path;
  if (unused_.insert(path + '\n' + std::string(key)).second) {
    warn(path,
         "\"" + std::string(key) + "\" of server \"" + server.name + "\" is not honoured; " +
             std::string(instead),
         server.name);
  }
}

std::optional<ImportReader::EnvFile> ImportReader::env_file_of(const RawServer& server) {
  const std::string written = server.fields.find("envFile").string_or("");
  if (written.empty()) {
    return std::nullopt;
  }
  const Environment& environment = environment_of(server.origin.path);
  const ExpandedText named = expand_host_variables(written, environment, VariableLookup());
  const bool is_relative = !is_absolute(environment, expand_home(named.text, environment));
  const std::string path = absolute_path(environment, environment.cwd, named.text);
  return EnvFile{.path = path,
                 .in_folder = named.names_folder || is_relative,
                 .is_strangers = server.origin.project || is_in_project(path)};
}

bool ImportReader::is_in_project(const std::string& path) const {
  const std::string root =
      folders_above_.empty() ? files_.canonical(environment_.cwd) : folders_above_.back();
  return is_inside(environment_, files_.canonical(path), root);
}

Result<std::optional<std::string>> ImportReader::read_env_file(const EnvFile& file) const {
  if (!file.is_strangers) {
    return files_.read(file.path);
  }
  Result<std::optional<std::string>> text = files_.read_regular(file.path);
  if (text && *text && (*text)->size() > project_entry_bytes_max) {
    return fail(ErrorCode::io,
                file.path + " is larger than " + text::size_text(project_entry_bytes_max));
  }
  return text;
}

std::string ImportReader::digest_of(const RawServer& server, std::string_view inputs) {
  std::string digest = server.digest;
  const std::string entry = json::canonical(parse_trusted(server.written).root());
  if (!inputs.empty() && entry.find("${input:") != std::string::npos) {
    digest = joined_digest(digest, inputs);
  }
  if (const std::optional<EnvFile> file = env_file_of(server)) {
    const std::optional<std::string> text = read_env_file(*file).value_or(std::nullopt);
    digest = text ? joined_digest(digest, *text) : digest;
  }
  return digest;
}

std::vector<RawServer> ImportReader::servers_of(json::Value map,
                                                std::string_view key,
                                                const std::string& path,
                                                json::Value inputs) {
  const bool is_project = project_files_.contains(path);
  // What is wrong with a project's file is said in the file's words: they are heard once something
  // in it may be used.
  std::vector<Warning> heard;
  if (is_project && inputs.raw().size() > project_entry_bytes_max) {
    warn(path,
         "\"inputs\" is larger than " + text::size_text(project_entry_bytes_max) +
             "; no server is read from this file");
    return {};
  }
  std::vector<RawServer> servers = read_servers(
      map, key, {.path = path, .import_kind = std::string(kind_), .project = is_project}, heard);
  const std::string canonical_inputs = is_project && inputs ? json::canonical(inputs) : "";
  std::vector<RawServer> allowed;
  for (RawServer& server : servers) {
    if (is_project && result_.waiting.size() >= project_servers_max) {
      break;  // no more are listed
    }
    if (is_project) {
      server.digest = digest_of(server, canonical_inputs);
    }
    const bool counts = !is_project || is_allowed_(server);
    (counts ? allowed : result_.waiting).push_back(std::move(server));
  }
  if (!is_project || !allowed.empty()) {
    std::ranges::move(heard, std::back_inserter(warnings_));
  }
  return allowed;
}

void ImportReader::add(RawServer server, const VariableLookup& lookup) {
  const Environment& environment = environment_of(server.origin.path);
  RawObject expanded;
  for (const RawField& field : server.fields.fields()) {
    expanded.set(field.key, rewrite_strings(field.value(), [&](const std::string& text) {
                   ExpandedText written = expand_host_variables(text, environment, lookup);
                   server.depends_on_folder = server.depends_on_folder || written.names_folder;
                   return std::move(written.text);
                 }));
  }
  server.fields = std::move(expanded);
  if (above_.contains(server.origin.path)) {
    anchor_paths(server.fields, environment, environment.cwd);
  }
  for (const std::string_view key : {"env", "headers", "bearerToken"}) {
    keep_literal(server.fields, key);
  }
  check_types(server.fields,
              {.scope = KeyScope::server, .path = server.origin.path, .server = server.name},
              warnings_);
  if (server.fields.find("enabled").bool_or(false)) {
    server.fields.take("enabled");  // says nothing: an import has no lower file of its host
  }
  translate_enabled(server.fields);
  server.fields.take("timeout");  // seconds in our files; who knows its unit has translated it
  std::erase_if(result_.servers, [&server](const RawServer& other) {
    return other.name == server.name && other.origin.project == server.origin.project;
  });
  result_.servers.push_back(std::move(server));
}

void ImportReader::leave_out(const RawServer& server, std::string_view reason) {
  const std::string& path = server.origin.path;
  if (notes_ != nullptr) {
    config::warn(*notes_,
                 path,
                 "server \"" + server.name + "\" " + std::string(reason) + ", and is left out");
  }
  result_.left_out.push_back({.server = server.name, .path = path, .reason = std::string(reason)});
}

void ImportReader::disable(const std::vector<std::string>& names) {
  for (RawServer& server : result_.servers) {
    if (std::find(names.begin(), names.end(), server.name) != names.end()) {
      server.fields.set("disabled", "true");
    }
  }
}

void ImportReader::apply_env_file(RawServer& server) {
  const std::optional<EnvFile> named = env_file_of(server);
  server.fields.take("envFile");
  if (!named) {
    return;
  }
  server.depends_on_folder = named->in_folder;
  const std::string& path = named->path;
  if (!server.origin.project && !folder_trusted_ && named->is_strangers) {
    warn(server.origin.path,
         "server \"" + server.name + "\": the envFile " + path +
             " belongs to this folder, which is not trusted, and is left out; to use it, trust the "
             "folder: \"pi-mcp trust\" in it, or in Pi /mcp trust",
         server.name);
    return;
  }
  const Result<std::optional<std::string>> text = read_env_file(*named);
  if (!text || !*text) {
    warn(server.origin.path,
         "server \"" + server.name + "\": the envFile " +
             (text ? path + " cannot be read; create it or remove the key"
                   : "cannot be read; correct it or remove the key: " + text.error().message()),
         server.name);
    return;
  }
  RawObject env;
  for (const RawField& field : parse_env_file(**text)) {
    env.set(field);
  }
  for (const json::Member member : server.fields.find("env").members()) {
    env.set(member.name(), json::compact(member.value));
  }
  server.fields.set("env", env.text());
}

VariableLookup ImportReader::file_lookup(std::string opening, const RawServer& server) {
  return [this, opening = std::move(opening), origin = server.origin, name = server.name](
             std::string_view token) -> std::optional<std::string> {
    if (!token.starts_with(opening)) {
      return std::nullopt;
    }
    const std::string_view written =
        token.substr(opening.size(), token.size() - opening.size() - 1);
    const std::string path =
        absolute_path(environment_, parent_path(environment_, origin.path), text::trim(written));
    const std::optional<std::string> content =
        (origin.project ? files_.read_regular(path) : files_.read(path)).value_or(std::nullopt);
    if (!content) {
      warn(origin.path,
           "server \"" + name + "\": the file " + path +
               " that it refers to cannot be read; create it",
           name);
      return "";
    }
    return std::string(text::trim(*content));
  };
}

ExpandedText expand_host_variables(std::string_view text,
                                   const Environment& environment,
                                   const VariableLookup& lookup) {
  ExpandedText expanded;
  std::string& out = expanded.text;
  std::size_t close = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = std::min(text.find_first_of("${", at), text.size());
    out += text.substr(at, plain - at);
    at = plain;
    const std::string_view token = token_at(text, at, close);
    std::optional<std::string> value = folder_variable(token, environment);
    expanded.names_folder = expanded.names_folder || value.has_value();
    if (!value) {
      value = editor_variable(token, environment);
    }
    if (!value && lookup && !token.empty()) {
      value = lookup(token);
    }
    const std::size_t taken = value ? token.size() : std::min<std::size_t>(1, text.size() - at);
    out += value ? *value : std::string(text.substr(at, taken));
    at += taken;
  }
  return expanded;
}

// NOLINTNEXTLINE(misc-no-recursion): depth is limited by the parser that made the value.
std::string rewrite_strings(json::Value json,
                            const std::function<std::string(std::string)>& rewrite) {
  if (json.is_string()) {
    return json::quoted(rewrite(json.string_or("")));
  }
  if (!json.is_object() && !json.is_array()) {
    return std::string(json.raw());
  }
  std::vector<std::string> parts;
  for (const json::Member child : json.children()) {
    const std::string key = child.key ? json::quoted(child.name()) + ":" : "";
    parts.push_back(key + rewrite_strings(child.value, rewrite));
  }
  const std::string inside = text::join(parts, ",");
  return json.is_object() ? "{" + inside + "}" : "[" + inside + "]";
}

void rename_key(RawObject& fields, std::string_view from, std::string_view to) {
  if (from == to) {
    return;
  }
  std::optional<RawField> field = fields.take(from);
  if (field && !fields.find(to)) {
    field->key = to;
    fields.set(*std::move(field));
  }
}

std::string scope_text(json::Value scopes) {
  std::vector<std::string> words;
  for (const json::Value element : scopes.elements()) {
    words.push_back(element.string_or(""));
  }
  return scopes.is_array() ? text::join(words, " ") : scopes.string_or("");
}

bool translate_oauth(RawObject& server, std::string_view key, const OAuthNames& names) {
  const json::Value written = server.find(key);
  if (!written.is_object()) {
    return false;
  }
  RawObject fields = RawObject::from(written);
  rename_key(fields, names.id, "clientId");
  rename_key(fields, names.secret, "clientSecret");
  if (const std::optional<RawField> scopes = fields.take(names.scope)) {
    fields.set("scope", json::quoted(scope_text(scopes->value())));
  }
  server.set("oauth", fields.text());
  return true;
}

}  // namespace pi_mcp::config
