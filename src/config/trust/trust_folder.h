// Which folder an answer about a project is kept for. Pure but for FileSource.
#pragma once

#include <string>

#include "config/environment.h"
#include "config/file_source.h"

namespace pi_mcp::config {

// The real path of `folder`; inside a linked git worktree the same place in the repository that it
// belongs to, so that both share their answers. A worktree counts only when the repository's own
// files name it (gitrepository-layout(5), worktrees/<id>/gitdir): a folder cannot claim to be one.
std::string trust_folder(const Environment& environment,
                         const FileSource& files,
                         const std::string& folder);

}  // namespace pi_mcp::config
