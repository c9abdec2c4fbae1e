// Who comes over HTTP, and what for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "access/rate.h"
#include "base/time.h"

namespace pi_mcp::access {

// Tools of servers.
struct Grant {
  std::vector<std::string> servers;  // names; empty: all
  std::vector<std::string> tools;    // globs as in includeTools; empty: all
  bool operator==(const Grant&) const = default;

  [[nodiscard]] bool gives(const std::string& server) const {
    return servers.empty() || std::ranges::find(servers, server) != servers.end();
  }
};

struct Principal {
  std::string name;  // of the token; empty: the user of this machine, without a token
  // Tells tokens apart that had the same name one after the other; empty without a token. No
  // secret. Of an authorization server's token the same for each token of one client for one person
  // that gives the same.
  std::string id;
  std::vector<std::string> servers;  // names; empty: all
  std::vector<std::string> tools;    // globs as in includeTools; empty: all
  std::optional<EpochMs> expires;    // from then on it is nobody; nullopt: never
  // NOLINTBEGIN(readability-redundant-member-init): may be left out where one is made
  // Of its scopes: each gives its tools of its servers. Empty: `servers` and `tools` say it.
  std::vector<Grant> grants = {};
  // Under which of the rules of IssuedTokens, counted from 1; 0: no authorization server's token.
  std::uint64_t rules = 0;
  // What it may do; nullopt: what everybody may.
  std::optional<Rate> rate = std::nullopt;
  // The person, whatever client and scopes a token of an authorization server is for; no secret.
  // Empty: `id` is one.
  std::string person = {};
  // NOLINTEND(readability-redundant-member-init)
  bool metrics_alone = false;  // it may read /metrics, and has nothing else

  // Whose requests count together.
  [[nodiscard]] const std::string& counted_as() const { return person.empty() ? id : person; }
  [[nodiscard]] bool is_expired(EpochMs now) const { return expires && *expires <= now; }
};

}  // namespace pi_mcp::access
