// What other programs have configured on this machine, and what of it counts here.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/setup.h"
#include "config/import/hosts.h"
#include "config/import/imports.h"

namespace pi_mcp::cli {

enum class EntryUse : std::uint8_t {
  counts,
  disabled,  // there or here
  waiting,   // of the project: for the user's trust
  hidden,    // by an entry of the same name
  own,       // it starts pi-mcp
};

struct ImportEntry {
  std::string name;
  std::string path;
  EntryUse use = EntryUse::counts;
  std::string hidden_by;  // the file of the entry that counts
};

// One kind of import: as it is when it is in use, else as it would be.
struct ImportFacts {
  std::string kind;
  std::string name;  // of the program
  bool in_use = false;
  std::vector<ImportEntry> entries;
  std::vector<config::LeftOut> left_out;
  std::vector<config::ImportedFile> files;
  std::vector<std::string> warnings;

  [[nodiscard]] bool has_servers() const;
};

// The kinds that the configuration names.
std::set<std::string> kinds_in_use(const Setup& setup);

// `user_text` is what the user file says.
Result<ImportFacts> import_facts(const config::Host& host,
                                 const Setup& setup,
                                 std::string_view user_text,
                                 const std::set<std::string>& in_use);

// Where nothing is configured: says on stderr which programs have servers, if any has.
void note_import(const Setup& setup);

}  // namespace pi_mcp::cli
