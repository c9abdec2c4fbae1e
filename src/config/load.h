// From the configuration files of a person to one Settings value. Precedence: docs/configuration.md
// and the reference adapter's later order. Pure but for FileSource.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/settings.h"

namespace pi_mcp::config {

// What a session says about trust beside the kept answers (config/trust/trust_store.h).
struct TrustOptions {
  bool everything = false;     // --trust-project; PI_MCP_TRUST_PROJECT=1 says the same
  std::set<std::string> once;  // digests that the user has allowed for this session
  // What the host's user has said of the folder there: false forbids all of the project, true
  // counts for the host's own file (Pi: .pi/mcp.json). nullopt: the host says nothing.
  std::optional<bool> host;
  std::set<std::string>
      host_once;  // digests that a yes of the host, which it keeps nowhere, was about
};

struct LoadOptions {
  // --config: replaces the user file <agentDir>/mcp.json; relative paths are against cwd.
  std::optional<std::string> config_file;
  // Servers that other programs of the session brought, as the value of `mcpServers`: below every
  // file. Empty: none.
  std::string registered;
  TrustOptions trust;
  // serve --servers: there are only these. Empty: all.
  std::vector<std::string> servers;
  bool split_tool = false;  // serve --split: settings.splitTool, whatever the files say
  // serve --http: nothing of a project is there, trusted or not, nor what the user has chosen for
  // the folder: who comes has no folder.
  bool users_alone = false;
  // serve --host-config: all of the configuration, JSON. No file, import, plugin or project and
  // nothing that the user has chosen for the folder counts beside it; `registered` does.
  std::optional<std::string> given;
};

// import_kind of the origin of `registered`.
constexpr std::string_view registered_kind = "registered";
// path of the origin of what `given` says.
constexpr std::string_view given_path = "(given)";

// Never fails: whatever cannot be read becomes a warning and the other sources still count. With
// config_file given and unreadable, the warning comes first and names it.
Settings load(const Environment& environment, const FileSource& files, const LoadOptions& options);

// <agentDir>/mcp-trust.json.
std::string trust_file(const Environment& environment);

// $PI_CODING_AGENT_DIR (with ~ expanded) or ~/.pi/agent.
std::string agent_dir(const Environment& environment);

// Every file load() would look at, lowest precedence first, whether it exists or not.
struct SourceFile {
  std::string path;
  std::string role;  // "shared user file", "project file", "import cursor", ...
  bool project = false;
};
std::vector<SourceFile> source_files(const Environment& environment,
                                     const FileSource& files,
                                     const LoadOptions& options);

}  // namespace pi_mcp::config
