// What parts two copies of a server, in words that hold no value of anybody's environment.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "servers/launch/launch.h"

namespace pi_mcp::servers {

enum class PartedBy : std::uint8_t {
  variable,    // `name` differs, or one has it alone
  configured,  // the same of one that the entry sets
  path,        // PATH leads to other programs
  folder,      // working directory
  command,     // what is started: command and arguments
  trust,       // one session's folder is trusted, and launchers read it
  short_list,  // one host hands on a short list in place of an environment
  umask,
  niceness,
  limits,        // of the process
  address,       // url or socket
  header,        // `name`
  login,         // credentials: commands, OAuth, stored tokens
  principal,     // who has come: the user, or one of the tokens over HTTP
  certificates,  // caFile
  network,       // `name`: a variable of proxies or certificates
  protocol,      // what of MCP is spoken, and the hosts that may be named
  capabilities,  // what the hosts can do
  roots,         // of the hosts
  session,       // it is for one session alone
};

struct Parting {
  PartedBy by = PartedBy::session;
  // Of a variable or header; never its value.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string name = {};

  bool operator==(const Parting&) const = default;
};

// Empty where they are the same. Both are of the entry `server`.
std::vector<Parting> partings(const config::Server& server, const Launch& one, const Launch& other);

// One server that runs more than once.
struct Copies {
  std::string server;  // as configured
  std::size_t count = 0;
  std::vector<Parting> parted_by;  // any two of them
  // What to write into the entry so that all use one copy, as a member of JSON; empty where nothing
  // would do that.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string join = {};

  bool operator==(const Copies&) const = default;
};
// All of these are of the entry `server`.
Copies copies_of(const config::Server& server, std::span<const Launch* const> launches);

// "variable", "folder", …, for programs, and back.
std::string_view parted_by_name(PartedBy by);
std::optional<PartedBy> read_parted_by(std::string_view name);

// "the variable FOO", "the folder", "the umask", …
std::string parting_text(const Parting& parting);

}  // namespace pi_mcp::servers
