// Tokens that stand in an entry in plain text, and what to write in their place. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace pi_mcp::secrets {

struct PlainSecret {
  std::vector<std::string> path;   // member names and indexes: {"env", "GITHUB_TOKEN"}
  std::vector<std::string> names;  // to store its values under: {"github.GITHUB_TOKEN"}
  // The string with references in the place of the tokens, and "***" for what else may be secret:
  // "Bearer ${keyring:github.Authorization}".
  std::string replacement;
};

// Of a server's entry as written. What is called like a secret and could be one, and what looks
// like a key wherever it stands; not references, `!command` values, paths and addresses. Narrower
// than mask.h, which hides what it is not sure of: here each one sends somebody to work.
std::vector<PlainSecret> plain_secrets(std::string_view server, json::Value entry);

}  // namespace pi_mcp::secrets
