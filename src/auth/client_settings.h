// How the user wants a server's tokens to be got: `oauth` of its configuration, resolved. Pure
// data.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace pi_mcp::auth {

enum class Grant : std::uint8_t { authorization_code, client_credentials };

// An empty text means that it is not configured.
struct ClientSettings {
  Grant grant = Grant::authorization_code;
  std::string client_id;
  std::string client_secret;
  std::string private_key;          // PEM; makes the client show itself by private_key_jwt
  std::string client_metadata_url;  // the https address that is our client id where allowed
  std::string scope;
  std::string redirect_uri;  // registered beforehand; else one on 127.0.0.1
  std::string client_name = "pi-mcp";
  std::string client_uri;
  std::string logo_uri;
  std::string server_metadata_url;  // authServerMetadataUrl: skips the search for it
  bool any_issuer = false;          // skipIssuerMetadataValidation
  // More parameters of the authorization request; those of the flow itself win.
  std::map<std::string, std::string> authorization_params;
};

}  // namespace pi_mcp::auth
