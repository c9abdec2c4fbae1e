// Changes one key of a server's entry, in the file where that counts.
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
  // Where; nullopt: the file that says it already, else the one that defines the server, or the
  // user's for an imported server; a project's file is not changed, for_folder is used then.
  std::optional<std::string> path;
  bool for_folder = false;  // kept for this folder alone, in the user's mcp-trust.json
};

// The file that was changed; empty when it says so already. not_found for an unknown server, and
// invalid_argument when another file that counts more says otherwise.
Result<std::string> change_server(const Setup& setup, const ServerChange& change);

}  // namespace pi_mcp::cli
