// Does what a Plan says, and undoes it. Files are written one after the other, each atomically and
// through symbolic links; the record stands before the first of them, so that undo() works whenever
// this was killed. Knows no terminal: `pi-mcp setup` shows what comes back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/environment.h"
#include "setup/plan.h"
#include "setup/undo.h"

namespace pi_mcp::setup {

// <agentDir>/mcp-setup.json.
std::string record_file(const config::Environment& environment);

struct Backup {
  std::string path;
  std::string copy;
};

// `stamp` names the copies: FILE.pi-mcp-backup-STAMP, with the mode and the owner of FILE.
// unavailable: a file was changed since the plan, or another setup runs; nothing was written. io: a
// file could not be written; those before it are, and undo() knows them.
Result<std::vector<Backup>> carry_out(const Plan& plan,
                                      const std::string& record,
                                      const std::string& stamp);

struct UndoneFile {
  std::string path;
  Undone undone;
};

// rehearse: says what it would do, and writes nothing.
enum class UndoWay : std::uint8_t { rehearse, write };

// Each file that setup has changed, last one first. Nothing where nothing was done, or all is
// undone. What could not be taken back (Undone::problem) stays in the record.
Result<std::vector<UndoneFile>> undo(const std::string& record, UndoWay way);

}  // namespace pi_mcp::setup
