// Changes configuration files so that no change of another pi-mcp is lost.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

enum class Change : std::uint8_t { made, not_needed };

// `edit` gets the text of the file ("" when there is none) and gives the new one. All changes of
// this user wait for one lock beside the user file, so that projects get no lock files. Errors name
// the file.
Result<Change> change_file(const Setup& setup,
                           const std::string& path,
                           const std::function<Result<std::string>(std::string_view)>& edit);

// One key of a server's entry, in the file that decides it.
struct ServerChange {
  std::string server;
  std::string key;         // disabled, directTools
  std::string value_json;  // strict JSON without white space; empty: the key is taken away
  // The file to change. nullopt: the one that has the key already, else the one that defines the
  // server, or the user's for an imported server; for a project's file for_folder is used instead.
  std::optional<std::string> path;
  bool for_folder = false;  // for this folder alone, in the user's mcp-trust.json
};

// The file that was changed; empty when it says so already. not_found for an unknown server, and
// invalid_argument when a later file overrides the change. Enabling takes away what disables, so
// that no "disabled": false is left where nothing below it says true.
Result<std::string> change_server(const Setup& setup, const ServerChange& change);

}  // namespace pi_mcp::cli
