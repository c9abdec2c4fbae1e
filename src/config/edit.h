// Changes to configuration files, text in and text out: what people wrote around a change stays as
// it was. The caller reads and writes the file, and puts the path before an error. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/settings.h"

namespace pi_mcp::config {

enum class Target : std::uint8_t { global, project };

// The file a new server goes to: the one given with --config, else <agentDir>/mcp.json or
// <cwd>/.pi/mcp.json.
std::string target_file(const Environment& environment, const LoadOptions& options, Target target);

// Where the server's transport (command, url or socket) is configured; its import_kind says when
// that is a file of another host, which is never changed.
Origin definition(const Server& server);

// Our own files that say something that counts about the server; the one of Server::origin last.
std::vector<std::string> own_files(const Server& server);

// The file in which to set a key that no file says yet: the one that defines the server, or for an
// imported server the user's file, where one key is enough.
std::string changed_file(const Server& server,
                         const Environment& environment,
                         const LoadOptions& options);

// All of these: invalid_argument with line and column for a text that is not JSON; "" is a file
// that does not exist yet. The key `mcp-servers` is used where the file uses it.

// Adds the server, or replaces its whole entry. `entry_json` must be an object.
Result<std::string> put_server(std::string_view text,
                               const std::string& name,
                               std::string_view entry_json);

// not_found when the file has no such server.
Result<std::string> remove_server(std::string_view text, const std::string& name);

// Unchanged when the import is there already; invalid_argument for an unknown kind.
Result<std::string> add_import(std::string_view text, const std::string& kind);

// Unchanged when the import is not there.
Result<std::string> remove_import(std::string_view text, const std::string& kind);

// Writes this key of the server and nothing else, also where the file has no such server: a lower
// source may have it. `value_json` is one JSON value.
Result<std::string> set_server_key(std::string_view text,
                                   const std::string& name,
                                   std::string_view key,
                                   std::string_view value_json);

// Without this key of the server, and without the entry where nothing else is in it. Unchanged when
// the key is not there.
Result<std::string> remove_server_key(std::string_view text,
                                      const std::string& name,
                                      std::string_view key);

}  // namespace pi_mcp::config
