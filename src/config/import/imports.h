// Servers that other hosts have configured, read from their own files and translated to our keys.
// Which files, per host and platform: docs/configuration.md. Pure but for FileSource.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/raw.h"
#include "config/settings.h"

namespace pi_mcp::config {

// "cursor", "claude-code", ...: what `imports` may name.
std::vector<std::string> import_kinds();

// An entry of a host that only the host can use.
struct LeftOut {
  std::string server;
  std::string path;
  std::string reason;  // "is an extension of Zed, ..."
};

struct ImportedFile {
  SourceFile file;  // without its role
  bool found = false;
  std::string problem;  // why nothing in it counts; empty: it could be read
};

struct Imported {
  // A later file's entry has replaced an earlier one's of the same standing: the project's files
  // replace nothing of the user's.
  std::vector<RawServer> servers;
  std::vector<RawServer> waiting;  // of the project, and not to be used yet
  std::vector<LeftOut> left_out;
  std::vector<ImportedFile> files;  // every one looked at, lowest precedence first
};

struct ImportSources {
  const Environment& environment;
  const FileSource& files;
  std::vector<Warning>& warnings;
  // Asked about each entry of the project's files, as it is written there.
  std::function<bool(const RawServer&)> is_allowed;
  // Whether a user's entry may take variables from a file of the working directory.
  bool folder_trusted = false;
  // Gets what only the host can do something with; may be null.
  std::vector<Warning>* notes = nullptr;
  // See folders_above().
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::vector<std::string> folders_above = {};
};

// A missing file is nothing to warn about; a malformed one gives one warning and the others count.
// An unknown kind gives nothing.
Imported read_import(std::string_view kind, const ImportSources& sources);

}  // namespace pi_mcp::config
