// The configuration in effect, as `pi-mcp config` shows it: every value with the file it came from,
// and no secret. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"
#include "secrets/mask.h"

namespace pi_mcp::config {

struct FieldDescription {
  std::string key;
  std::string value;  // JSON, secrets masked
  Origin origin;
  bool is_read = true;  // false: kept for other programs that share the file
};

// All keys of the server's entry, in its order.
std::vector<FieldDescription> describe(const Server& server);

// All keys of the merged `settings`, known or not; defaults are not listed.
std::vector<FieldDescription> describe_settings(const Settings& settings);

// For programs: an array of objects with `message` and, where they apply, `path`, `line`, `column`,
// `server` and `unreadable`.
std::string warnings_json(const std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
