// Who we are at an authorisation server: configured, known by a metadata URL, or registered on the
// spot (MCP 2026-07-28 basic/authorization "Client registration"; RFC 7591). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "auth/client_settings.h"
#include "auth/credentials.h"
#include "auth/metadata.h"
#include "base/result.h"
#include "base/time.h"
#include "http/message.h"

namespace pi_mcp::auth {

// What is known when a client is chosen.
struct ClientFacts {
  const ClientSettings* settings = nullptr;
  const ServerMetadata* server = nullptr;
  const Credentials* known = nullptr;  // from an earlier login; may be null
  std::string redirect_uri;            // for this login; empty where no person is asked
  std::string scope;                   // what this login asks for
  bool uses_device = false;            // this login is one with a code (auth/device_grant.h)
  EpochMs now;
  // LoginFlow::Setup::no_endpoint.
  // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
  std::string no_endpoint = {};
};

// In this order: the configured id, the metadata URL where the server takes one, the registration
// of an earlier login with this issuer, origin of the token endpoint, redirect address and scope
// (or a part of it). nullopt: register first.
// unauthorized: no client id can be had there, or the configured client was used with another
// issuer or origin before (the server changed its authorisation server, which must not get the
// secret).
Result<std::optional<Client>> choose_client(const ClientFacts& facts);

// Names the scope that will be asked for: some servers grant a client no other.
http::Request registration_request(const ClientFacts& facts);
// protocol: it was refused, or there is no client_id in the answer. unauthorized: nobody can log
// in.
Result<Client> parse_registration(const http::Answer& answer, const ClientFacts& facts);

// How a client authenticates: with a secret by the first of our methods that the server lists
// (nothing listed: RFC 8414 section 2 has client_secret_basic).
ClientAuth choose_auth(const ServerMetadata& server, bool has_secret, bool has_key);

}  // namespace pi_mcp::auth
