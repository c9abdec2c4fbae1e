// The hosts that we know: where each keeps its servers, how they are read, and how pi-mcp is put
// into it. `imports`, `pi-mcp import`, completion and `pi-mcp setup` follow from the table in
// hosts.cc. Pure but for FileSource.
//
// A host more: a file called like it in this folder with
//   void import_zed(ImportReader& reader);   translates the entries, also those of a project's
//   files std::vector<HostFile> zed_files(const Environment&, const FileSource&);   the user's
//   files
// the host's own documentation named in it as the source; both declared and in a row in hosts.cc;
// tests in imports_test.cc; its row in docs/configuration.md and its block in docs/hosts.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/host_edit.h"

namespace pi_mcp::config {

class ImportReader;

// One file of the user's in which a host looks for servers.
struct HostFile {
  std::string path;
  FileFormat format = FileFormat::json;
  // Names of members down to the map of servers. The first that a file has counts; in a file that
  // has none of them the first is made.
  std::vector<std::vector<std::string>> members = {{"mcpServers"}};
  // The entries are a list, and each has its name as the member `name` (Continue).
  bool is_list = false;
  // pi-mcp's own entry belongs into this file: when the file exists, or this folder does.
  bool ours = false;
  // A folder that only this host (this variant of it) makes; may be empty.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string seen_by = {};
  // The list of globs that a server's name has to match where the file has such a list.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::vector<std::string> allow_list = {};
  // Why setup leaves the file and its servers alone; empty: it does not.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string stays = {};
};

// How an entry tells a host that hands on few of its own variables to hand on some more.
enum class HandsOn : std::uint8_t {
  all,   // it need not be told
  list,  // "env_vars": ["NAME"]
  env,   // "env": {"NAME": "$NAME"}, for those that are set: others would be the text "$NAME"
};

struct Host {
  std::string_view kind;  // what `imports` and --hosts name: "gemini-cli"
  std::string_view name;  // what its makers call it: "Gemini CLI"
  // Null for a host that has no files of servers of its own.
  void (*read)(ImportReader& reader) = nullptr;
  // Files of the user, lowest precedence first; the host's files in a project are not among them.
  std::vector<HostFile> (*user_files)(const Environment& environment,
                                      const FileSource& files) = nullptr;
  // pi-mcp's own entry there, JSON, with the settings that docs/hosts.md explains. The string
  // "pi-mcp" stands for the program's path. Empty: an entry does not help, `instead` says what
  // does.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view entry = {};
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string_view instead = {};
  HandsOn hands_on = HandsOn::all;
  // Whether it is on this machine. Null: one of `user_files`, or what they are seen by, shows it.
  bool (*is_here)(const Environment& environment, const FileSource& files) = nullptr;
  // Of a host with `instead`: whether that has been done. Null: nobody can say.
  bool (*has_us)(const Environment& environment, const FileSource& files) = nullptr;
};

// What helps in place of an entry, or that it is there already.
std::string_view instead_of_entry(const Host& host,
                                  const Environment& environment,
                                  const FileSource& files);

// In the order in which people read them.
std::span<const Host> hosts();
// nullptr when there is none of that kind.
const Host* find_host(std::string_view kind);

}  // namespace pi_mcp::config
