// Servers that other hosts have configured, read from their own files and translated to our keys.
// Which files, per host and platform: docs/configuration.md. Pure but for FileSource.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

// "cursor", "claude-code", ...: what `imports` may name.
std::vector<std::string> import_kinds();

struct Imported {
  std::vector<RawServer> servers;  // a later file's entry has replaced an earlier one's
  std::vector<std::string> paths;  // every file looked at, lowest precedence first
};

// A missing file is nothing to warn about; a malformed one gives one warning and the others count.
// An unknown kind gives nothing.
Imported read_import(std::string_view kind,
                     const Environment& environment,
                     const FileSource& files,
                     std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
