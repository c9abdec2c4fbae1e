// What `pi-mcp doctor` knows of this machine before it judges: gathered by gather.h and by starting
// servers, turned into findings by examine.h. Pure data; no secret is in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/hidden.h"
#include "config/settings.h"

namespace pi_mcp::doctor {

struct FileFacts {
  std::string path;
  std::string role;  // "user file", "import cursor", ...
  bool exists = false;
  std::string problem;   // a sentence: why nothing that it says counts; empty: it can be read
  bool is_open = false;  // it has secrets, and other users may read it
  bool is_projects = false;
};

// The program that a server's command names.
struct ProgramFacts {
  std::string command;             // as written, secrets masked
  std::string advice;              // what to write for one that holds arguments, too
  std::vector<std::string> words;  // of such a one in a file of ours, if they can be told apart
  std::string name;                // its first word, without folders
  std::string path;                // where it is; empty: nowhere
  std::string problem;             // why it cannot be run; empty: it can
  bool has_spaces = false;         // the command holds arguments, too
  bool seen_by_desktop = true;     // also with the PATH of programs that no shell has started
  std::string interpreter;         // what a script in that folder runs on, if that is there, too
};

struct UnsetVariable {
  std::string name;
  std::string field;      // "env TOKEN", "args[1]"
  bool prevents = false;  // nothing is started without it; else it counts as empty
};

// A secret that the entry names and that is not stored.
struct MissingSecret {
  std::string name;
  std::string field;    // "env TOKEN"
  std::string problem;  // why the keyring could not be asked; empty: it has none
};

// A token as it is, where others may see it.
struct PlainToken {
  std::string field;  // "env.TOKEN"
  std::string path;   // the file
  std::string exposure;
  std::string name;         // to store it under
  std::string replacement;  // what the field says then
  bool no_keyring = false;  // it has to be stored in a file
};

struct LoginFacts {
  bool is_asked_for =
      false;  // the entry says OAuth; else only the server knows whether it wants it
  bool is_there = false;
  std::optional<EpochMs> ends_at;  // cannot be renewed from then on; nullopt: not known
};

// A run of the server in some process of ours.
struct RunFacts {
  std::string server;
  std::string state;
  int process_id = 0;  // 0: it does not run now
  int owner = 0;       // process id of the pi-mcp
  std::string client;  // for whom; may be empty
  std::string cwd;
  bool configured = true;  // here; another project may have another server of this name
};

// How the last run of a server failed.
struct LastFailure {
  std::string reason;
  bool wants_login = false;  // the reason is that
};

// A keeper (io/process/keeper.h) that nobody needs any more.
struct LeftProcess {
  int process_id = 0;
  std::string program;  // what it keeps; may be empty
};

// A program in "imports" that has no server to import.
struct StaleImport {
  std::string kind;  // "windsurf"
  std::string name;  // "Windsurf"
  std::string path;  // the file that names it
};

// What came of starting a server.
struct StartFacts {
  std::string problem;  // why it does not work; empty: it does
  bool wants_login = false;
  std::string behind_proxy;  // the problem is a proxy in the way to this host
  Milliseconds took{};
  std::string protocol;  // revision that is spoken
  std::size_t tools = 0;
  bool was_known = false;  // the cache had its tools
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> gone;
};

// A host whose files have pi-mcp.
struct HostFacts {
  struct Entry {
    std::string name;
    std::string path;
  };
  std::string kind;          // "cursor"
  std::string path;          // the file with our entry
  std::string command;       // that it starts us with
  bool is_lost = false;      // there is no such program any more
  std::vector<Entry> twice;  // servers that it starts itself and we do, too
};

struct OtherProgram {
  std::string path;
  std::string version;
  std::string by;  // the host's file that names it; empty: it is in PATH
};

struct ServerFacts {
  std::string name;
  config::Origin origin;
  bool disabled = false;
  bool needs_trust = false;
  std::string problem;  // why its entry cannot work
  std::string address;  // url or socket, masked; empty for a program
  std::optional<ProgramFacts> program;
  std::vector<UnsetVariable> unset;
  std::vector<MissingSecret> missing_secrets;
  std::vector<PlainToken> plain_tokens;
  std::string missing_folder;  // its cwd, when that is not a folder
  std::optional<LoginFacts> login;
  std::optional<LastFailure> last_failure;
  std::optional<StartFacts> start;  // nullopt: it was not started
};

// What keeps sessions from sharing a process.
struct AloneFacts {
  std::string why;     // empty: nothing does
  std::string folder;  // that has to be mended; empty: it is what this process may do
  std::string file;    // in it, that has to go; empty: it is the folder itself
};

struct Facts {
  std::vector<FileFacts> files;  // the later ones win
  std::vector<config::Warning> warnings;
  std::vector<config::HiddenServer> hidden;
  std::vector<config::TrustRequest> trust_requests;
  std::vector<ServerFacts> servers;
  std::vector<RunFacts> runs;
  std::vector<HostFacts> hosts;
  std::vector<StaleImport> stale_imports;
  std::vector<LeftProcess> left;
  AloneFacts alone;
  std::vector<OtherProgram> programs;  // other files than this program
  std::string version;                 // of this program
  std::string path;                    // the same
  EpochMs now;
};

}  // namespace pi_mcp::doctor
