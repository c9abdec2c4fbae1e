// From a merged entry to a typed Server. Pure.
#pragma once

#include <span>
#include <string>

#include "config/file_source.h"
#include "config/merge.h"
#include "config/settings.h"

namespace pi_mcp::config {

// `settings` are complete: what they say of all servers restricts those of the project, too.
Server make_server(const MergedServer& merged, const Settings& settings);

// The typed half of Settings from the merged `settings` objects.
void apply_settings(const MergedServer& merged, Settings& settings);

// The exposure of a tool with these names, of which the first is the server's own.
Exposure exposure_of(const Server& server, std::span<const std::string> names);

// Why a hidden server is, for people: key and file.
std::string hidden_by(const Server& server);

// "pi-mcp" of "/usr/bin/pi-mcp", "pi-mcp.exe" and "pi-mcp@1.2.3".
std::string_view program_name(std::string_view word);

// True for an entry that starts `pi-mcp serve`. Hosts and we share files, so our own entry is found
// there; running it would start ourselves without end.
[[nodiscard]] bool starts_this_program(const Server& server);

// Whether an entry of a host that starts us with this command names a file that is not there any
// more.
[[nodiscard]] bool is_lost_program(const std::string& command, const FileSource& files);

// True for an entry with nothing but what our own commands write about a server that another
// program defines (disabled, directTools), when that definition is gone.
[[nodiscard]] bool is_only_choices(const Server& server);

}  // namespace pi_mcp::config
