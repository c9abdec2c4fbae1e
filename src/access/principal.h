// Who comes over HTTP, and what for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace pi_mcp::access {

struct Principal {
  std::string name;  // of the token; empty: the user of this machine, without a token
  // Tells tokens apart that had the same name one after the other; empty without a token. No
  // secret.
  std::string id;
  std::vector<std::string> servers;  // names; empty: all
  std::vector<std::string> tools;    // globs as in includeTools; empty: all
  std::optional<EpochMs> expires;    // from then on it is nobody; nullopt: never

  [[nodiscard]] bool is_expired(EpochMs now) const { return expires && *expires <= now; }
};

}  // namespace pi_mcp::access
