// How a company vouches for its user at somebody else's authorisation server: their identity token
// becomes an assertion for that server (RFC 8693 token exchange, as
// draft-ietf-oauth-identity-assertion-authz-grant section 4.3 profiles it). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "auth/client_settings.h"
#include "auth/metadata.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"

namespace pi_mcp::auth {

// invalid_argument: something is not configured, or no https URL, by the name it has in the
// configuration.
Result<void> check_identity(const IdentityProvider& provider, std::string_view identity_token);

struct ExchangeFacts {
  const ServerMetadata* provider = nullptr;
  const ClientSettings* settings = nullptr;
  std::string identity_token;
  std::string audience;  // the issuer of the MCP server's authorisation server
  std::string resource;  // the MCP server; may be empty
  std::string scope;     // may be empty
  EpochMs now;
};
// protocol: the endpoint may not have the identity token.
Result<http::Request> exchange_request(const ExchangeFacts& facts);

// The assertion. unauthorized: the company does not agree, or the identity token is too old.
// unavailable: try later. protocol: the answer is not an assertion. Errors have none of `secrets`.
Result<std::string> parse_exchange_answer(const http::Answer& answer,
                                          const std::vector<std::string>& secrets);

}  // namespace pi_mcp::auth
