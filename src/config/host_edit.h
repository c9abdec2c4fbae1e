// One server's entry in a configuration file of another program: put in, taken out, taken back, so
// that every other byte stays. JSON (with comments and trailing commas), TOML and YAML. What comes
// out is read again before it is handed out: the entry is as wanted and everything else says what
// it said, or the edit is refused (docs/decisions/0042). Byte order marks and line ends stay. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pi_mcp::config {

enum class FileFormat : std::uint8_t { json, toml, yaml };

struct EntryPlace {
  FileFormat format = FileFormat::json;
  // Names from the root down to the map that holds the servers: {"mcpServers"}, {"mcp", "servers"}.
  std::vector<std::string> at;
  std::string name;
  // The servers are not members of a map but items of a list, each with a member "name" (Continue),
  // which is not empty. YAML only.
  bool list = false;
};

// How a text was changed: at `offset` stood `was`, now stands `is`. What stands around it finds the
// place again in a file that has changed elsewhere. All are UTF-8 when the text was.
struct TextChange {
  std::size_t offset = 0;  // in bytes
  std::string was;
  std::string is;
  std::string before;  // the end of what stands in front of it
  std::string behind;  // the beginning of what stands behind it
};

struct PutEntry {
  std::string text;
  TextChange change;
  std::optional<std::string> replaced;  // as JSON: what was there under this name
  std::size_t parents_made = 0;         // how many names at the end of `at` were not there
};

struct RemovedEntry {
  std::string text;
  TextChange change;
  std::string value;  // the entry as JSON
  std::string piece;  // the bytes of the entry, with the comments and the comma that belong to it
  std::string next;   // name of the entry before which it stood; empty when it was the last
  std::string previous;  // name of the entry behind which it stood; empty when it was the first
};

// All functions: invalid_argument with line and reason for a text that cannot be read, and for one
// that cannot be edited safely. Several edits of one file are taken back in reverse order.

// The entry as JSON; nullopt when it is not there. A blank text has no entries.
Result<std::optional<std::string>> read_entry(std::string_view text, const EntryPlace& place);

// Replaced where it stands, or added as the last one; missing parents are made. `value_json`: one
// JSON object.
Result<PutEntry> put_entry(std::string_view text,
                           const EntryPlace& place,
                           std::string_view value_json);

// The text without what put_entry() put there, whatever that entry says by now (compare with
// read_entry() first): byte for byte as before where nothing around it has changed; else without
// the entry (or with what it had replaced), and without parents that were made for it and are
// empty. not_found when the entry is not there any more. Looks at all of `put` but its text.
Result<std::string> undo_put(std::string_view text, const EntryPlace& place, const PutEntry& put);

// not_found when it is not there. The map that held it stays, also when it is empty.
Result<RemovedEntry> remove_entry(std::string_view text, const EntryPlace& place);

// Byte for byte as before where nothing around it has changed, else at the same place among its
// neighbours, else as the last one. invalid_argument when an entry of this name is there by now.
// Looks at all of `removed` but its text.
Result<std::string> restore_entry(std::string_view text,
                                  const EntryPlace& place,
                                  const RemovedEntry& removed);

}  // namespace pi_mcp::config
