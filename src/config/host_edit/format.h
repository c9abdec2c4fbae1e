// What each file format does in its own way for config/host_edit.h. Texts have no byte order mark
// here. Nobody has to be right about every text: host_edit.cc reads again what comes out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/host_edit.h"

namespace pi_mcp::config::host_edit {

// A text without one entry.
struct Cut {
  std::string text;
  std::string piece;
  std::string next;
  std::string previous;
};

struct Format {
  // The whole file as JSON; a blank one is "{}".
  Result<std::string> (*to_json)(std::string_view text);
  Result<std::string> (*put)(std::string_view text,
                             const EntryPlace& place,
                             std::string_view value_json);
  Result<Cut> (*cut)(std::string_view text, const EntryPlace& place);
  // Puts a piece that was cut from a text like this one at its place among its neighbours.
  Result<std::string> (*paste)(std::string_view text, const EntryPlace& place, const Cut& cut);
};

extern const Format json_format;
extern const Format toml_format;
extern const Format yaml_format;

inline Error unsafe_edit() {
  return {ErrorCode::invalid_argument, "the text cannot be edited safely; change it by hand"};
}

}  // namespace pi_mcp::config::host_edit
