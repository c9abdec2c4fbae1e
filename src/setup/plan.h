// What `pi-mcp setup` would do on this machine: which hosts are here, which of their servers would
// move into the user's file, and what each file would then say. Pure but for FileSource; nobody
// has been asked and nothing is written (docs/decisions/0046-setup.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "config/environment.h"
#include "config/file_source.h"
#include "config/host_edit.h"
#include "config/import/hosts.h"

namespace pi_mcp::setup {

struct PlanOptions {
  std::vector<std::string> hosts;  // kinds; empty: every host that is here
  bool copy = false;               // entries stay in the hosts' files, too
  std::string program;             // absolute path of pi-mcp, which hosts shall start
  std::string user_file;           // where servers go: <agentDir>/mcp.json
  // Why a file must not be changed (it is read-only); empty when it may be.
  std::function<std::string(const std::string& path)> refusal;
};

enum class Fate : std::uint8_t {
  moves,  // becomes a server of ours
  joins,  // its server is there already, from another host or in the user's file
  stays,  // `reason` says why
};

// An entry of one host's file.
struct PlannedEntry {
  std::string name;
  Fate fate = Fate::moves;
  std::string new_name;            // of the server in the user's file; moves and joins only
  std::string reason;              // stays, or why the name is another one
  std::vector<std::string> notes;  // what the translation could not take over
  bool disabled = false;
};

enum class Ours : std::uint8_t {
  nothing,  // our entry does not belong into this file
  added,
  there,   // an entry that starts pi-mcp is there already, and stays as it is
  mended,  // the same, but the program that it names is gone: it gets the path of this one
};

struct PlannedFile {
  config::HostFile file;
  bool exists = false;
  Ours ours = Ours::nothing;
  std::string our_name;     // of the entry that starts pi-mcp
  std::string our_command;  // what that entry starts now; Ours::there and mended
  std::vector<PlannedEntry> entries;
};

// Entries that count in one folder only. They stay where they are.
struct ProjectEntries {
  std::string path;    // the file
  std::string folder;  // the project
  std::vector<std::string> names;
};

struct PlannedHost {
  const config::Host* host = nullptr;
  std::string problem;  // why it is left out as a whole; empty: it is not
  std::vector<PlannedFile> files;
  std::vector<ProjectEntries> projects;
};

struct PutStep {
  config::EntryPlace place;
  std::string value;     // the entry as JSON
  config::PutEntry put;  // its text is empty
};
struct RemoveStep {
  config::EntryPlace place;
  config::RemovedEntry removed;  // its text is empty
};
// Names added to a list of a JSON file: setup/folder.h.
struct ListStep {
  std::vector<std::string> path;
  std::vector<std::string> names;
  bool made = false;  // there was no such list
};
using Step = std::variant<PutStep, RemoveStep, ListStep>;

struct FileChange {
  std::string path;
  std::optional<std::string> before;  // nullopt: the file is made
  std::string after;
  std::vector<Step> steps;
  bool is_users = false;  // the file that the servers move into
};

struct Plan {
  std::vector<PlannedHost> hosts;       // those that are here
  std::vector<std::string> looked_for;  // names of those that are not
  std::string user_file;
  std::vector<FileChange> changes;  // in the order of writing: the user's file first
};

// io, invalid_argument: the user's own file cannot be read or edited; not_found: a kind of host
// that there is not. Files of hosts that cannot be read are in the plan.
Result<Plan> make_plan(const config::Environment& environment,
                       const config::FileSource& files,
                       const PlanOptions& options);

}  // namespace pi_mcp::setup
