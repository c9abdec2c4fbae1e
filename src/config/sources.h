// Our own configuration files: where they are, and what each of them says. Pure but for FileSource.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

struct Source {
  SourceFile file;
  Layer layer;  // empty when there is no file, or nothing in it that can be understood
  // About entries of a project's file, to be heard once one of them may be used.
  std::vector<Warning> warnings;
};

// A file of a project that is a link to one that the user has servers in, ours or a host's: what is
// in it is the user's, and no question shows it. Then it warns.
bool leads_to_users(const Environment& environment,
                    const FileSource& files,
                    const std::string& path,
                    std::vector<Warning>& warnings);

// Reads each file once, whichever paths lead to it.
class SourceReader {
 public:
  // All outlive it. What is wrong with a file goes to `warnings`.
  SourceReader(const Environment& environment,
               const FileSource& files,
               std::vector<Warning>& warnings)
      : environment_(environment), files_(files), warnings_(warnings) {}

  // PI_MCP_CONFIG_MODE=exclusive: only the user file, or that of --config.
  [[nodiscard]] bool is_exclusive() const;

  // Lowest precedence first, files that do not exist included.
  std::vector<Source> read_user(const std::optional<std::string>& config_file);
  // LoadOptions::given, in place of all of these. What it names elsewhere is not followed.
  std::vector<Source> read_given(const std::string& text);
  // As read_user(), of the project, from its root on (see folders_above()), and of the folders
  // above it, as far as `ancestor_roots` of the setting in the file `roots_path` lets us look.
  std::vector<Source> read_project(const std::vector<std::string>& project,
                                   const std::vector<std::string>& ancestor_roots,
                                   const std::string& roots_path);

 private:
  // True when the file exists, whatever is in it.
  bool read_users(SourceFile file, std::vector<Source>& out);
  void read_projects(SourceFile file, std::vector<Source>& out);
  // Paths in its entries are of that folder.
  void read_above(const std::string& folder, const std::string& path, std::vector<Source>& out);
  Layer layer_of(const SourceFile& file,
                 const Result<std::optional<std::string>>& text,
                 std::vector<Warning>& entry_warnings);
  [[nodiscard]] std::vector<std::string> ancestors(const std::vector<std::string>& roots,
                                                   const std::string& roots_path);
  [[nodiscard]] std::string ancestor_root(const std::string& written,
                                          const std::string& roots_path);

  const Environment& environment_;
  const FileSource& files_;
  std::vector<Warning>& warnings_;
  std::set<std::string> seen_;  // canonical paths
};

}  // namespace pi_mcp::config
