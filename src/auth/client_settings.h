// How the user wants a server's tokens to be obtained: `oauth` of its configuration, resolved. Pure
// data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pi_mcp::auth {

// cross_app_access: the user's company vouches for them (MCP extension "Enterprise-Managed
// Authorization", draft-ietf-oauth-identity-assertion-authz-grant).
enum class Grant : std::uint8_t { authorization_code, client_credentials, cross_app_access };

// The identity provider of the user's company, for cross_app_access. An identity token says
// who the user is; it is obtained when it is needed (Access::identity_token).
struct IdentityProvider {
  std::string issuer;          // its metadata has the token endpoint
  std::string token_endpoint;  // wins over the issuer
  std::string client_id;       // of this program there
  std::string client_secret;
};

// An empty text means that it is not configured.
struct ClientSettings {
  Grant grant = Grant::authorization_code;
  std::string client_id;
  std::string client_secret;
  std::string private_key;          // PEM; makes the client authenticate by private_key_jwt
  std::string client_metadata_url;  // the https URL that is our client id where allowed
  std::string scope;
  std::string redirect_uri;  // registered beforehand; else one on 127.0.0.1
  std::string client_name = "pi-mcp";
  std::string client_uri;
  std::string logo_uri;
  std::string server_metadata_url;         // authServerMetadataUrl: skips the search for it
  bool any_issuer = false;                 // skipIssuerMetadataValidation
  bool assume_pkce = false;                // assumePkce: metadata that does not speak of it will do
  std::vector<std::string> private_hosts;  // see AddressRule
  IdentityProvider identity_provider;
  // More parameters of the authorization request; those of the flow itself win.
  std::map<std::string, std::string> authorization_params;
};

}  // namespace pi_mcp::auth
