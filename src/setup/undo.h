// Takes back what setup did to one file: ours goes, what was moved comes back, what somebody else
// has changed since stays. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "setup/record.h"

namespace pi_mcp::setup {

struct Undone {
  // The text that the file shall have; nullopt: it shall not be there.
  std::optional<std::string> text;
  bool whole = false;  // exactly as it was before setup
  // Why nothing of it could be taken back: the record keeps the file for the next time.
  std::string problem;
  std::vector<std::string> restored;  // entries that came back
  std::vector<std::string> removed;   // entries of ours that went
  std::vector<std::string> kept;      // sentences: what was not taken back, and why
};

// `now` is the file's text (nullopt: it is gone), `backup` that of the copy beside it.
Undone undo_file(const RecordedFile& file,
                 const std::optional<std::string>& now,
                 const std::optional<std::string>& backup);

}  // namespace pi_mcp::setup
