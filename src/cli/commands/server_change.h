// Changes one key of a server's entry, in the file that decides it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/setup.h"
#include "config/edit.h"

namespace pi_mcp::cli {

struct ServerChange {
  std::string server;
  std::string key;         // disabled, directTools
  std::string value_json;  // strict JSON without white space
  // The file to change. nullopt: the one that has the key already, else the one that defines the
  // server, or the user's for an imported server; for a project's file for_folder is used instead.
  std::optional<std::string> path;
  bool for_folder = false;  // for this folder alone, in the user's mcp-trust.json
};

// The file that was changed; empty when it says so already. not_found for an unknown server, and
// invalid_argument when a later file overrides the change.
Result<std::string> change_server(const Setup& setup, const ServerChange& change);

}  // namespace pi_mcp::cli
