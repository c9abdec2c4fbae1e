#include "auth/client.h"

#include <algorithm>
#include <array>
#include <utility>

#include "auth/failure_text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::auth {
namespace {

bool lists(const ServerMetadata& server, std::string_view method) {
  const auto& methods = server.token_auth_methods;
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

// Metadata may name any issuer where the user configured its address, so a secret also stays with
// the origin that it was used at.
bool is_same_origin(const Credentials& known, const ServerMetadata& server) {
  const Result<http::Url> before = http::parse_url(known.token_endpoint);
  const Result<http::Url> now = http::parse_url(server.token_endpoint);
  return !before || (now && before->origin() == now->origin());
}

Result<std::optional<Client>> configured_client(const ClientFacts& facts) {
  const ClientSettings& settings = *facts.settings;
  const Credentials* known = facts.known;
  const bool was_used = known != nullptr && known->client.source == ClientSource::configured &&
                        known->client.id == settings.client_id;
  if (was_used && known->issuer != facts.server->issuer) {
    return fail(ErrorCode::unauthorized,
                "the server now names the authorization server \"" + facts.server->issuer +
                    "\", and the configured client belongs to \"" + known->issuer +
                    "\"; if that is right, log out first and then in again");
  }
  if (was_used && !is_same_origin(*known, *facts.server)) {
    return fail(ErrorCode::unauthorized,
                "the token endpoint is now \"" + facts.server->token_endpoint +
                    "\", and the configured client was used at \"" + known->token_endpoint +
                    "\"; if that is right, log out first and then in again");
  }
  Client client;
  client.id = settings.client_id;
  client.auth =
      choose_auth(*facts.server, !settings.client_secret.empty(), !settings.private_key.empty());
  return std::optional(std::move(client));
}

// A registration of an earlier login that is good for this one.
bool is_usable(const ClientFacts& facts) {
  if (facts.known == nullptr || facts.known->client.source != ClientSource::registered) {
    return false;
  }
  constexpr std::int64_t ms_per_s = 1000;
  const Client& client = facts.known->client;
  const bool expired =
      client.expires_at_s != 0 && client.expires_at_s <= facts.now.value / ms_per_s;
  return facts.known->issuer == facts.server->issuer &&
         is_same_origin(*facts.known, *facts.server) && !client.id.empty() && !expired &&
         client.redirect_uri == facts.redirect_uri &&
         scope_covers(facts.known->requested_scope, facts.scope);
}

std::string_view method_name(ClientAuth auth) {
  switch (auth) {
    case ClientAuth::none:
      return "none";
    case ClientAuth::post:
      return "client_secret_post";
    case ClientAuth::basic:
    case ClientAuth::basic_and_id:
    case ClientAuth::private_key_jwt:
      break;
  }
  return "client_secret_basic";
}

// A public client, unless the server lists methods and "none" is not among them.
ClientAuth asked_auth(const ServerMetadata& server) {
  const bool may_be_public = server.token_auth_methods.empty() || lists(server, "none");
  return may_be_public ? ClientAuth::none : choose_auth(server, true, false);
}

// What the answer to the registration says, unless the server does not list it.
ClientAuth confirmed_auth(std::string_view method, bool has_secret, const ServerMetadata& server) {
  if (server.token_auth_methods.empty() || lists(server, method)) {
    for (const ClientAuth auth : {ClientAuth::none, ClientAuth::post, ClientAuth::basic}) {
      if (has_secret && method == method_name(auth)) {
        return auth;
      }
    }
  }
  return choose_auth(server, has_secret, false);
}

}  // namespace

ClientAuth choose_auth(const ServerMetadata& server, bool has_secret, bool has_key) {
  if (has_key) {
    return ClientAuth::private_key_jwt;
  }
  if (!has_secret) {
    return ClientAuth::none;
  }
  const auto& methods = server.token_auth_methods;
  const auto post = std::ranges::find(methods, "client_secret_post");
  return post < std::ranges::find(methods, "client_secret_basic") ? ClientAuth::post
                                                                  : ClientAuth::basic;
}

Result<std::optional<Client>> choose_client(const ClientFacts& facts) {
  const ClientSettings& settings = *facts.settings;
  if (!settings.client_id.empty()) {
    return configured_client(facts);
  }
  if (settings.grant == Grant::client_credentials) {
    return fail(ErrorCode::unauthorized,
                "the grant client_credentials needs oauth.clientId in the configuration");
  }
  if (!settings.client_metadata_url.empty() && facts.server->accepts_client_metadata_url) {
    Client client;
    client.id = settings.client_metadata_url;
    client.source = ClientSource::metadata_url;
    return std::optional(std::move(client));
  }
  if (settings.grant == Grant::cross_app_access) {
    return fail(ErrorCode::unauthorized,
                "the grant cross_app_access needs oauth.clientId in the configuration: the client "
                "that is registered with the authorization server \"" +
                    facts.server->issuer + "\"");
  }
  if (is_usable(facts)) {
    return std::optional(facts.known->client);
  }
  if (facts.server->registration_endpoint.empty()) {
    return fail(ErrorCode::unauthorized,
                "the authorization server \"" + facts.server->issuer +
                    "\" registers no clients by itself; " +
                    (facts.server->accepts_client_metadata_url
                         ? "set oauth.clientMetadataUrl to the https address of a client metadata "
                           "document, or "
                         : "") +
                    "register one there and set oauth.clientId");
  }
  return std::optional<Client>();
}

http::Request registration_request(const ClientFacts& facts) {
  const ClientSettings& settings = *facts.settings;
  json::Writer out;
  out.begin_object();
  out.member("client_name", settings.client_name);
  out.key("redirect_uris").begin_array().string(facts.redirect_uri).end_array();
  out.key("grant_types").begin_array();
  out.string("authorization_code").string("refresh_token");
  if (facts.uses_device) {
    out.string("urn:ietf:params:oauth:grant-type:device_code");
  }
  out.end_array();
  out.key("response_types").begin_array().string("code").end_array();
  out.member("token_endpoint_auth_method", method_name(asked_auth(*facts.server)));
  // OpenID Connect Registration section 2: "native" may have redirects to the loopback address.
  out.member("application_type", facts.redirect_uri.starts_with("http:") ? "native" : "web");
  for (const auto& [name, value] : {std::pair("scope", &facts.scope),
                                    std::pair("client_uri", &settings.client_uri),
                                    std::pair("logo_uri", &settings.logo_uri)}) {
    if (!value->empty()) {
      out.member(name, *value);
    }
  }
  out.end_object();
  http::Request request;
  request.method = "POST";
  request.url = facts.server->registration_endpoint;
  request.headers = {{.name = "Content-Type", .value = "application/json"},
                     {.name = "Accept", .value = "application/json"}};
  request.body = out.take();
  return request;
}

Result<Client> parse_registration(const http::Answer& answer, const ClientFacts& facts) {
  constexpr int ok = 200;
  constexpr int created = 201;
  const Result<json::Document> document = json::Document::parse(answer.body);
  const json::Value root = document ? document->root() : json::Value();
  Client client;
  client.id = root.find("client_id").string_or("");
  client.secret = root.find("client_secret").string_or("");
  const int status = answer.head.status;
  if ((status != ok && status != created) || client.id.empty()) {
    // RFC 7591 section 3.2.2: who registers clients refuses with 400.
    constexpr int bad_request = 400;
    constexpr int server_error = 500;
    if (facts.server->is_guessed && status != bad_request && status < server_error) {
      if (!facts.no_endpoint.empty()) {
        return fail(ErrorCode::unavailable, facts.no_endpoint);
      }
      return fail(ErrorCode::unauthorized,
                  "the server has no OAuth metadata and registers nobody, so it seems to take a "
                  "token that you have: set \"bearerToken\" or \"headers\" in its entry");
    }
    return fail(ErrorCode::protocol,
                "the authorization server refused to register this client: " +
                    failure_text(answer, {client.secret}) +
                    "; register one there and set oauth.clientId");
  }
  client.source = ClientSource::registered;
  client.expires_at_s = root.find("client_secret_expires_at").as_int().value_or(0);
  client.redirect_uri = facts.redirect_uri;
  client.auth = confirmed_auth(
      root.find("token_endpoint_auth_method").string_or(""), !client.secret.empty(), *facts.server);
  return client;
}

}  // namespace pi_mcp::auth
