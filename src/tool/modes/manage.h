// What people do to the servers through a user interface of the host: the tool `mcp_manage`, which
// only such a host is shown. A model that could reach it would change its user's configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"
#include "io/loop/task.h"
#include "json/document.h"
#include "tool/answer.h"
#include "tool/call_context.h"
#include "tool/mode_parts.h"
#include "tool/modes/new_server.h"
#include "tool/sharing/shared_view.h"

namespace pi_mcp::tool {

enum class TrustTerm : std::uint8_t { always, session };

// Where a key of a server counts from now on.
enum class Scope : std::uint8_t {
  standard,    // where it is said already, else where the server is defined
  here,        // in this folder alone; kept in the user's folder
  everywhere,  // in the file that defines the server
};

struct KeyChange {
  std::string server;
  std::string_view key;
  std::string value_json;  // empty: the key is taken away
  Scope scope = Scope::standard;
};

struct EditedFile {
  std::string path;
  std::string server;  // whose entry alone it is about; empty: all of the file
  std::string shown;   // the path for people
  std::string text;
};

// What /mcp setup came to.
struct SetupOutcome {
  std::string said;
  std::vector<NewServer> wanted;  // still to be tried and added
};

// What a process that many share can say of its sessions, but for the one that asks.
struct SharedAccess {
  std::function<SharedView()> view = nullptr;
  // What each runs: of one server with what it said last, with an empty name of all. Only for
  // commands of the user, who may know all of it: a host is told nothing of other hosts' servers.
  std::function<std::vector<runs::RunRecord>(const std::string& server)> runs = nullptr;
};

// What a session may do to its configuration. Each is in effect when it returns; an empty function
// cannot be done here. Files are named as people know them.
struct ConfigAccess {
  // Gives the file; empty when nothing had to be changed. An error names it too.
  std::function<Result<std::string>(const KeyChange& change)> edit = nullptr;
  // The file of the user's own servers.
  std::function<std::string()> user_file = nullptr;
  // Puts a server into it. Gives the file.
  std::function<Result<std::string>(const NewServer& server)> add = nullptr;
  // From now on there is this server too, below those of every file, until it is called again with
  // an empty entry.
  std::function<void(const std::string& name, const std::string& entry_json)> try_out = nullptr;
  std::function<bool(const std::string& word)> is_program = nullptr;
  // The server's entry in the file that defines it, or with an empty name the user's file; and its
  // new text.
  std::function<Result<EditedFile>(const std::string& server)> file_to_edit = nullptr;
  std::function<Result<void>(const EditedFile& was, const std::string& text)> write_edited =
      nullptr;
  // Shows what would be done, asks, and does it, or takes it back.
  std::function<io::Task<Result<SetupOutcome>>(bool undo, CallContext context)> setup = nullptr;
  // From now on these servers, the value of `mcpServers`, exist below those of every file.
  std::function<void(std::string servers_json)> register_servers = nullptr;
  // From now on this is all of the configuration: an object like mcp.json. Where the host brings
  // it.
  std::function<void(std::string config_json)> configure = nullptr;
  SharedAccess shared = {};
  // Ends servers of this process, of whichever session (servers::Pool::stop_named()).
  std::function<io::Task<std::vector<std::string>>(std::string name)> stop_servers = nullptr;
  // Only what no session uses (servers::Pool::stop_resting()).
  std::function<io::Task<std::vector<std::string>>(std::string name)> stop_resting = nullptr;
  // The user allows what project files want, for good or for this session only; without requests
  // the working directory as a whole.
  std::function<Result<void>(TrustTerm term, const std::vector<config::TrustRequest>& requests)>
      trust = nullptr;
  // What the host's user has said of the folder there (config::TrustOptions::host).
  std::function<void(bool trusted)> host_trusts = nullptr;
  // The host has begun the session that it calls `id`, or taken it up again; what was allowed for
  // another one no longer counts.
  std::function<void(const std::string& id)> begin_session = nullptr;
};

std::string_view manage_tool_name();
// The entry of tools/list, JSON; its _meta says that it is not for the model.
std::string_view manage_tool_definition();

// `arguments` of the call are those of its definition; what they point into and `parts` outlive the
// task.
io::Task<Answer> manage(ModeParts* parts, json::Value arguments, CallContext context);

}  // namespace pi_mcp::tool
