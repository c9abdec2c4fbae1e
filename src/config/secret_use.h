// Which stored secrets a server's entry names: ${keyring:NAME}. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/settings.h"

namespace pi_mcp::config {

// What is put into one string of an entry.
struct SecretUse {
  std::string field;  // as messages name it: `env GITHUB_TOKEN`, `args[2]`
  std::string name;   // as written; perhaps not a name that a secret can have
  Origin origin;      // of the key that it stands in
};

// In the order of the entry, also several times the same name. Without what is taken as written:
// commands that print a value, and env where variables do not count either.
std::vector<SecretUse> secret_uses(const Server& server);

}  // namespace pi_mcp::config
