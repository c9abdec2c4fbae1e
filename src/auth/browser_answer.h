// What an authorization request is made of, and what a browser brings back of it (RFC 6749 section
// 4.1, RFC 7636, RFC 9207). Pure.
#pragma once

#include <string>
#include <string_view>

#include "auth/client_settings.h"
#include "auth/metadata.h"
#include "base/result.h"

namespace pi_mcp::auth {

struct AuthorizationRequest {
  const ServerMetadata* server = nullptr;
  const ClientSettings* settings = nullptr;
  std::string client_id;
  std::string redirect_uri;
  std::string state;
  std::string verifier;
  std::string resource;
  std::string scope;
};

// What a person opens.
std::string authorization_url(const AuthorizationRequest& request);

// The query has this login's state; a different one is somebody's attempt to disturb it.
[[nodiscard]] bool has_state(std::string_view query, std::string_view state);

// The code in a query whose state is right. Neither code nor error is believed unless the issuer
// is right. protocol, unauthorized; the messages have neither code nor `secrets`.
Result<std::string> code_in(std::string_view query,
                            const ServerMetadata& server,
                            const std::vector<std::string>& secrets);

}  // namespace pi_mcp::auth
