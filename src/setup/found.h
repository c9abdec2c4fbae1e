// What stands in the files of hosts now, translated to our keys. Pure but for FileSource.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/environment.h"
#include "config/file_source.h"
#include "config/host_edit.h"
#include "config/import/hosts.h"
#include "config/raw.h"

namespace pi_mcp::setup {

struct FoundEntry {
  std::string name;
  config::RawObject fields;  // in our keys
  config::EntryPlace place;
  std::vector<std::string> notes;
  std::string stays;       // why it cannot be moved; empty: it can
  bool starts_us = false;  // it is pi-mcp itself
  std::string command;     // what it starts, for people
  std::string lost;        // our program that it names and that is not there; empty: it is
  // Of the environment, which the host hands on or puts in: those that are set, and all.
  std::set<std::string> set_variables;
  std::set<std::string> variables;
};

struct FoundFile {
  config::HostFile file;
  std::optional<std::string> text;  // nullopt: it does not exist
  std::string problem;              // why it cannot be read or edited
  bool takes_ours = false;          // pi-mcp's entry belongs here, and the host is here
  std::vector<FoundEntry> entries;
};

// A file of a host. `kind` names the host.
FoundFile read_host_file(const config::Host& host,
                         const config::HostFile& file,
                         const config::Environment& environment,
                         const config::FileSource& files);

// The name of the map that the file has, else the first candidate.
config::EntryPlace place_in(const config::HostFile& file,
                            std::string_view text,
                            const std::string& name);

// Equal for entries that make the same server, whether it is switched off or not.
std::string sameness(const config::RawObject& fields);

}  // namespace pi_mcp::setup
