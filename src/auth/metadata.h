// Where the OAuth metadata of a server is, and what of it we believe (RFC 9728, RFC 8414, OpenID
// Connect Discovery 1.0; MCP 2026-07-28 basic/authorization). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/url.h"

namespace pi_mcp::auth {

// Larger metadata documents and token answers are refused.
constexpr std::size_t document_bytes_max = std::size_t{256} << 10U;

// Where credentials may be sent for `server`: https anywhere, http on this machine, and that only
// for a server on this machine: no remote server can make us talk to local services.
[[nodiscard]] bool is_allowed_endpoint(std::string_view url, const Url& server);

// In the order to be tried: for the server's path, then for the origin; one when it has no path.
std::vector<std::string> resource_metadata_urls(const Url& server);

struct ResourceMetadata {
  std::string resource;                            // verbatim; RFC 8707 `resource` of every request
  std::vector<std::string> authorization_servers;  // issuers, verbatim; at least one
  std::vector<std::string> scopes_supported;
};

// protocol: not JSON, a member missing, or a `resource` that is not this server: of another origin,
// or with a path that is no whole-segment prefix of the server's.
Result<ResourceMetadata> parse_resource_metadata(std::string_view body, const Url& server);

// In the order to be tried. An issuer with a path never asks for the document of the root, which
// may be another tenant's. invalid_argument: the issuer is no URL.
Result<std::vector<std::string>> server_metadata_urls(std::string_view issuer);

struct ServerMetadata {
  std::string issuer;  // verbatim, as it was asked for
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string registration_endpoint;  // empty: none
  std::string revocation_endpoint;    // empty: none
  std::vector<std::string> scopes_supported;
  std::vector<std::string> token_auth_methods;  // empty: not said
  bool says_pkce = false;                       // code_challenge_methods_supported is there
  bool has_s256 = false;
  bool accepts_client_metadata_url = false;  // client_id_metadata_document_supported
  bool sends_issuer = false;                 // authorization_response_iss_parameter_supported
};

// Which issuer a document may name.
enum class IssuerRule {
  exact,        // the identifier it was asked for, byte by byte (RFC 8414 section 3.3)
  same_origin,  // for servers before 2025-06-18 without resource metadata: anyone of that origin
  any,          // the user said so (skipIssuerMetadataValidation)
};

// protocol: not JSON, another issuer, an endpoint missing or not allowed for `server`, or PKCE
// without S256.
Result<ServerMetadata> parse_server_metadata(std::string_view body,
                                             std::string_view issuer,
                                             IssuerRule rule,
                                             const Url& server);

// For servers of 2025-03-26 without any metadata: /authorize, /token, /register of the origin.
ServerMetadata fixed_endpoints(const Url& server);

}  // namespace pi_mcp::auth
