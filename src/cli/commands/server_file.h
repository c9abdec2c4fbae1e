// Entries of servers in configuration files, as commands and the hosts' user interfaces write them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/setup.h"
#include "tool/modes/manage.h"
#include "tool/modes/new_server.h"

namespace pi_mcp::cli {

// A project's file may be a link, or lie behind one: what leads out of the project is not written.
Result<void> check_inside_project(const Setup& setup, const std::string& path);

// Whether the text of one of our files has an entry of this name.
[[nodiscard]] bool has_server(std::string_view text, const std::string& name);

// Puts the entries into the file, and records them as trusted where that is a project's.
// invalid_argument: the file has a server of this name, or one starts pi-mcp; nothing was written.
Result<void> add_servers(const Setup& setup,
                         const std::string& path,
                         const std::vector<tool::NewServer>& servers);

// What people may edit: the server's entry in the file that defines it, or with an empty name the
// user's file. Nothing of a project, whose files are under version control and not ours.
Result<tool::EditedFile> file_to_edit(const Setup& setup, const std::string& server);
// Writes it when it can be read as configuration. invalid_argument says what is wrong, with line
// and column; unavailable: somebody else has changed the file meanwhile.
Result<void> write_edited(const Setup& setup, const tool::EditedFile& was, const std::string& text);

}  // namespace pi_mcp::cli
