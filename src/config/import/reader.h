// What the translations of all hosts share: reading each file once, warnings, and the last steps
// every imported entry goes through. Internal to config/.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/import/hosts.h"
#include "config/import/imports.h"
#include "config/project/project_folders.h"
#include "config/raw.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

using HostFilesOf = std::vector<HostFile> (*)(const Environment&, const FileSource&);

// Asked for a variable such as "${input:key}" or "{file:secret.txt}", braces included; nullopt
// leaves it as it is.
using VariableLookup = std::function<std::optional<std::string>(std::string_view token)>;

class ImportReader {
 public:
  ImportReader(std::string_view kind, const ImportSources& sources)
      : kind_(kind),
        environment_(sources.environment),
        files_(sources.files),
        warnings_(sources.warnings),
        notes_(sources.notes),
        is_allowed_(sources.is_allowed),
        folder_trusted_(sources.folder_trusted),
        folders_above_(sources.folders_above) {}

  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] const FileSource& files() const { return files_; }

  // A path below the home directory.
  [[nodiscard]] std::string home(std::string_view relative) const;
  // A file of the project: below the session's working directory, or, where it is not there, below
  // the nearest folder of the project that has it.
  [[nodiscard]] std::string project(std::string_view relative);
  // The working directory and those above it that belong to its project, nearest first.
  [[nodiscard]] std::vector<std::string> project_folders() const;
  // Looks for a file so that it is seen when it comes later, too.
  [[nodiscard]] bool is_there(const std::string& path) const;
  // counts_above()
  [[nodiscard]] bool counts(const std::string& folder, const std::string& path) {
    return folder == environment_.cwd || counts_above(files_, folder, path, warnings_);
  }
  // The folder of the project that a file is in, and the root of its repository: what hosts keep
  // about projects is for either.
  [[nodiscard]] std::vector<std::string> folders_of(const std::string& path);
  // The paths of the host's own files: the user's, then these of the project.
  [[nodiscard]] std::vector<std::string> paths(
      HostFilesOf user_files, std::initializer_list<std::string_view> project = {});
  // This path, too, is a file of the project.
  void note_project_file(const std::string& path) { project_files_.insert(path); }
  [[nodiscard]] bool is_project_file(const std::string& path) const {
    return project_files_.contains(path);
  }

  // nullopt when the file is missing, cannot be read (warned) or was read before.
  std::optional<std::string> read(const std::string& path);
  // The same for a file of JSON with comments; also nullopt when it is blank or malformed (warned).
  std::optional<json::Document> read_json(const std::string& path);
  // The same for another format.
  std::optional<json::Document> read_converted(
      const std::string& path, Result<std::string> (*to_json)(std::string_view text));

  // `server`: the one that it concerns alone.
  void warn(const std::string& path, std::string_view message, std::string_view server = {});
  // A key of the host that does nothing here, said once a file: in the notes, or as a warning with
  // what to do instead.
  void note_unused(const RawServer& server, std::string_view key);
  void warn_unused(const RawServer& server, std::string_view key, std::string_view instead);

  // The entries of `map`, a member called `key` of the file; malformed ones are dropped with a
  // warning, and those of the project that may not be used are only listed. What decides about
  // ${input:ID} in them is part of what the user allows.
  std::vector<RawServer> servers_of(json::Value map,
                                    std::string_view key,
                                    const std::string& path,
                                    json::Value inputs = {});

  // Takes an entry whose host-specific keys are translated already: replaces the variables of
  // editors, keeps values that start with "!" literal, checks types.
  void add(RawServer server, const VariableLookup& lookup = {});

  // `reason`, behind the server's name: "is ...". It stands in the notes.
  void leave_out(const RawServer& server, std::string_view reason);

  // Marks servers added before as disabled.
  void disable(const std::vector<std::string>& names);

  // Adds the variables of a dotenv file below the entry's own `env`, and drops the key `envFile`.
  void apply_env_file(RawServer& server);

  // Looks up ${file:PATH} or {file:PATH} for this server; a relative path is against the directory
  // of its file.
  [[nodiscard]] VariableLookup file_lookup(std::string opening, const RawServer& server);

  Imported take() { return std::move(result_); }

 private:
  struct EnvFile {
    std::string path;        // absolute
    bool in_folder = false;  // which file that is depends on the folder
    bool is_strangers = false;
  };
  // Whether it really lies in the working directory, or elsewhere in its repository.
  [[nodiscard]] bool is_in_project(const std::string& path) const;
  // A stranger's has project_entry_bytes_max: io.
  [[nodiscard]] Result<std::optional<std::string>> read_env_file(const EnvFile& file) const;
  // It cannot be said yet, see config/project/plain_names.h.
  [[nodiscard]] bool has_strangers_name(const std::string& path) const;
  // Of the file that was read last.
  void note_unreadable(const std::string& why);
  // nullopt without a key `envFile`.
  [[nodiscard]] std::optional<EnvFile> env_file_of(const RawServer& server);
  // With the folder that the file lies in as working directory.
  [[nodiscard]] const Environment& environment_of(const std::string& path);
  // The digest of an entry with what it takes from other places of the project. `inputs`: canonical
  // JSON; empty: none.
  [[nodiscard]] std::string digest_of(const RawServer& server, std::string_view inputs);

  std::string_view kind_;
  const Environment& environment_;
  const FileSource& files_;
  std::vector<Warning>& warnings_;
  std::vector<Warning>* notes_;
  const std::function<bool(const RawServer&)>& is_allowed_;
  bool folder_trusted_;
  std::vector<std::string> folders_above_;
  std::map<std::string, Environment> above_;  // of project files in those folders, by path
  std::set<std::string> project_files_;
  std::set<std::string> seen_;
  std::size_t converted_bytes_ = 0;  // of JSON made of the project's files
  std::set<std::string> unused_;     // path and key of those that were said
  Imported result_;
};

struct ExpandedText {
  std::string text;
  bool names_folder = false;  // the session's folder is in it
};
// ${workspaceFolder}, ${userHome} and their relatives, and whatever `lookup` knows. ${NAME} and
// ${env:NAME} stay: they are read at launch.
ExpandedText expand_host_variables(std::string_view text,
                                   const Environment& environment,
                                   const VariableLookup& lookup);

// `json` with every string value replaced by what `rewrite` makes of it; member names stay.
std::string rewrite_strings(json::Value json,
                            const std::function<std::string(std::string)>& rewrite);

// KEY=VALUE lines; #-comments, `export `, and quotes as in most dotenv readers.
std::vector<RawField> parse_env_file(std::string_view text);

// Small translations several hosts need.
void rename_key(RawObject& fields, std::string_view from, std::string_view to);
// A host's own object under `key`, {clientId, clientSecret, scope} under the given names, becomes
// `oauth`. False where there is none.
struct OAuthNames {
  std::string_view id;
  std::string_view secret;
  std::string_view scope;
};
bool translate_oauth(RawObject& server, std::string_view key, const OAuthNames& names);
// A string as it is, an array of strings joined by spaces.
std::string scope_text(json::Value scopes);

}  // namespace pi_mcp::config
