// A login that waits for a person, as text: with it another process goes on where the person has
// come back to that one. Pure.
#pragma once

#include <string>
#include <string_view>

#include "auth/credentials.h"
#include "base/result.h"

namespace pi_mcp::auth {

struct WaitingLogin {
  Credentials so_far;  // without tokens
  std::string redirect_uri;
  std::string state;
  std::string verifier;
  bool sends_issuer = false;  // see ServerMetadata
};

// With its secrets.
std::string to_json(const WaitingLogin& waiting);
// invalid_argument: not a text of ours. Nothing of the text is repeated.
Result<WaitingLogin> parse_waiting_login(std::string_view json);

}  // namespace pi_mcp::auth
