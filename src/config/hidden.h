// Entries that do not count, because a later or nearer source has a server of the same name. Pure
// but for FileSource.
#pragma once

#include <string>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"

namespace pi_mcp::config {

struct HiddenServer {
  std::string name;
  std::string path;     // of the entry
  std::string by_path;  // of the one that counts instead
};

// Of servers that load() gives.
std::vector<HiddenServer> hidden_servers(const Environment& environment,
                                         const FileSource& files,
                                         const LoadOptions& options);

}  // namespace pi_mcp::config
