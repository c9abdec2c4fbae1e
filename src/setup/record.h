// What setup has done, so that it can be undone after any crash: written before the first file is
// changed, kept in the user's folder (0600: it has the entries that were removed, secrets
// included). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "setup/plan.h"

namespace pi_mcp::setup {

struct RecordedFile {
  std::string path;
  std::optional<std::string> before;  // SHA-256 of its text; nullopt: there was no file
  std::string after;                  // the same
  std::string backup;                 // empty: there was nothing to keep
  std::vector<Step> steps;            // in the order in which they were done
  bool is_users = false;              // see FileChange
};

struct Record {
  std::vector<RecordedFile> files;  // of all runs of setup, in the order of writing
};

RecordedFile recorded(const FileChange& change, std::string backup);

std::string record_text(const Record& record);
// A blank text is an empty record. invalid_argument: it is not one of ours.
Result<Record> parse_record(std::string_view text);

}  // namespace pi_mcp::setup
