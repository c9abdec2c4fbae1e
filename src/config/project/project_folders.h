// The folders above a session's working directory that belong to its project. Pure but for
// FileSource.
#pragma once

#include <string>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

// Nearest first, up to the root of the repository that the working directory lies in: the folder
// with `.git`. As git does, none is looked for behind a mount; nor in the home folder or above it,
// nor more than project_folders_max above.
// Empty without a repository, and in its root.
std::vector<std::string> folders_above(const Environment& environment, const FileSource& files);

// A folder of the project and the root of its repository, which may be the same.
std::vector<std::string> folder_and_root(const std::string& folder,
                                         const std::vector<std::string>& folders_above);

// Whether a file of such a folder may count: both belong to this user, since anybody can make a
// repository of a folder that all may write to (/tmp). Else, if the file is there, warns.
bool counts_above(const FileSource& files,
                  const std::string& folder,
                  const std::string& path,
                  std::vector<Warning>& warnings);

// Makes relative paths of an entry in a file of that folder absolute: a session elsewhere would
// take them as its own. Arguments stay as they are.
void anchor_paths(RawObject& fields, const Environment& environment, const std::string& folder);

}  // namespace pi_mcp::config
