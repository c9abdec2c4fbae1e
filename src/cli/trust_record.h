// Reads the configuration with the trust that the user has given, and records what the user allows,
// in <agentDir>/mcp-trust.json.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/setup.h"
#include "config/file_source.h"
#include "config/settings.h"
#include "config/trust/trust_store.h"

namespace pi_mcp::cli {

// The configuration in effect. An answer that a host already has is recorded first, because it is
// about the project's file as it is now.
config::Settings load_configuration(const Setup& setup, const config::FileSource& files);

// The working directory, when the user was asked about it: whoever has looked at it lets programs
// of their own servers read it, too. Empty for a folder above, which says nothing about all that
// lies below it.
std::string own_folder(const config::Settings& settings,
                       const std::vector<config::TrustRequest>& asked);

struct TrustGiven {
  std::vector<config::TrustRequest> requests;
  std::string folder;  // trusted as a whole, too; empty: none
  std::string by = "user";
};
// Errors name the file.
Result<void> record_trust(const Setup& setup, const TrustGiven& given);

// Records a key of a server for one folder.
Result<void> record_choice(const Setup& setup, const config::FolderChoice& choice);

}  // namespace pi_mcp::cli
