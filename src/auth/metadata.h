// Where the OAuth metadata of a server is, and how much of it we believe (RFC 9728, RFC 8414,
// OpenID Connect Discovery 1.0; MCP 2026-07-28 basic/authorization). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/client_settings.h"
#include "base/result.h"
#include "http/address_rule.h"
#include "http/message.h"
#include "http/url.h"

namespace pi_mcp::auth {

// Larger metadata documents and token answers are refused.
constexpr std::size_t document_bytes_max = std::size_t{256} << 10U;

// Where the URLs that a server names for its logins may lead.
http::AddressRule address_rule(std::string_view server_url, const ClientSettings& settings);

// `protocol_version`: MCP's; may be empty.
http::Request metadata_request(std::string url, const std::string& protocol_version);
// "Not here", so that the next place is tried.
[[nodiscard]] bool has_no_document(const http::Answer& answer);

// The server itself, as RFC 8707 section 2 and MCP want it named where it does not say how.
std::string canonical_resource(const http::Url& server);

// Where the user may have tokens sent: https, or plain http on this machine.
[[nodiscard]] bool may_carry_tokens(std::string_view url);

// In the order to try: for the server's path, then for the origin; only one when it has no path.
std::vector<std::string> resource_metadata_urls(const http::Url& server);

struct ResourceMetadata {
  std::string resource;                            // verbatim; RFC 8707 `resource` of every request
  std::vector<std::string> authorization_servers;  // issuers, verbatim; at least one
  std::vector<std::string> scopes_supported;
};

// protocol: not JSON, a member missing, or a `resource` that is not this server: of another origin,
// or with a path that is not a whole-segment prefix of the server's.
Result<ResourceMetadata> parse_resource_metadata(std::string_view body, const http::Url& server);

// In the order to try. For an issuer with a path never the document of the root, which may be a
// different tenant's. invalid_argument: the issuer is not a URL.
Result<std::vector<std::string>> server_metadata_urls(std::string_view issuer);

struct ServerMetadata {
  std::string issuer;  // verbatim, as it was asked for
  std::string authorization_endpoint;
  std::string token_endpoint;
  std::string registration_endpoint;  // empty: none
  std::string revocation_endpoint;    // empty: none
  std::string device_endpoint;        // device_authorization_endpoint; empty: none
  std::vector<std::string> scopes_supported;
  std::vector<std::string> token_auth_methods;  // empty: not said
  bool says_pkce = false;                       // code_challenge_methods_supported is there
  bool has_s256 = false;
  bool accepts_client_metadata_url = false;  // client_id_metadata_document_supported
  bool sends_issuer = false;                 // authorization_response_iss_parameter_supported
  bool is_guessed = false;                   // see fixed_endpoints()
};

// Which issuer a document may name.
enum class IssuerRule {
  exact,        // the identifier it was asked for, byte by byte (RFC 8414 section 3.3)
  same_origin,  // for servers before 2025-06-18 without resource metadata: any of that origin
  any,          // the user said so (skipIssuerMetadataValidation)
};

// protocol: not JSON, a wrong issuer, an endpoint missing or where none may be.
Result<ServerMetadata> parse_server_metadata(std::string_view body,
                                             std::string_view issuer,
                                             IssuerRule rule,
                                             const http::AddressRule& addresses);

// MCP 2025-11-25 basic/authorization "Authorization Code Protection": a server that does not say
// that it does PKCE with S256 is not used; where the user vouches for it, it need not say so.
// protocol.
Result<void> check_pkce(const ServerMetadata& metadata, bool assume_pkce);

// For metadata from the URL that the user configured. Where RFC 8414 has that URL for the issuer
// named in it, the issuer is known to be right. Else nothing ties the endpoints
// together, and a code could be forwarded from one party to another (a mix-up, RFC 9700
// section 4.4): then all that gets codes, tokens or registrations is at one origin, that of the
// issuer or of `metadata_url`, and the page where a person logs in is there too. protocol names
// both origins.
Result<void> check_configured_metadata(const ServerMetadata& metadata,
                                       std::string_view metadata_url,
                                       Grant grant);

// What a login with these settings wants of it: both of the above, where they apply. `has_code`: a
// browser brings a code.
Result<void> check_metadata(const ServerMetadata& metadata,
                            const ClientSettings& settings,
                            bool has_code);

// For servers of 2025-03-26 without any metadata: /authorize, /token, /register of the origin.
ServerMetadata fixed_endpoints(const http::Url& server);

}  // namespace pi_mcp::auth
