#include "auth/identity_assertion.h"

#include <utility>

#include "auth/client.h"
#include "auth/failure_text.h"
#include "auth/token_request.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

constexpr std::string_view assertion_type = "urn:ietf:params:oauth:token-type:id-jag";
constexpr std::string_view identity_type = "urn:ietf:params:oauth:token-type:id_token";

Error missing(std::string_view name) {
  return {ErrorCode::invalid_argument,
          "the grant cross_app_access needs " + std::string(name) + " in the configuration"};
}

}  // namespace

Result<void> check_identity(const IdentityProvider& provider, std::string_view identity_token) {
  if (provider.issuer.empty() && provider.token_endpoint.empty()) {
    return fail(missing("oauth.idp.issuer or oauth.idp.tokenEndpoint"));
  }
  if (provider.client_id.empty()) {
    return fail(missing("oauth.idp.clientId"));
  }
  if (identity_token.empty()) {
    return fail(missing("oauth.idp.idToken"));
  }
  if (provider.token_endpoint.empty() &&
      (!server_metadata_urls(provider.issuer) || !may_carry_tokens(provider.issuer))) {
    return fail(ErrorCode::invalid_argument, "oauth.idp.issuer is not an https URL");
  }
  return {};
}

Result<http::Request> exchange_request(const ExchangeFacts& facts) {
  if (!may_carry_tokens(facts.provider->token_endpoint)) {
    return fail(ErrorCode::protocol,
                "the token endpoint of the identity provider is not an https URL, so the "
                "identity token is not sent there");
  }
  const IdentityProvider& provider = facts.settings->identity_provider;
  Client client;
  client.id = provider.client_id;
  client.auth = choose_auth(*facts.provider, !provider.client_secret.empty(), false);
  ClientSettings settings;
  settings.client_secret = provider.client_secret;
  http::Form form;
  form.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
      .add("requested_token_type", assertion_type)
      .add("audience", facts.audience)
      .add("resource", facts.resource)
      .add("scope", facts.scope)
      .add("subject_token", facts.identity_token)
      .add("subject_token_type", identity_type);
  return client_request(facts.provider->token_endpoint,
                        std::move(form),
                        {.client = &client,
                         .settings = &settings,
                         .issuer = facts.provider->issuer,
                         .assertion_id = "",
                         .now = facts.now});
}

Result<std::string> parse_exchange_answer(const http::Answer& answer,
                                          const std::vector<std::string>& secrets) {
  constexpr int ok = 200;
  constexpr int server_error = 500;
  constexpr int too_many = 429;
  const Result<json::Document> document = json::Document::parse(answer.body);
  const json::Value root = document ? document->root() : json::Value();
  const int status = answer.head.status;
  if (status != ok || root.find("error").is_string()) {
    const bool temporary = status >= server_error || status == too_many;
    return fail(temporary ? ErrorCode::unavailable : ErrorCode::unauthorized,
                "the identity provider of oauth.idp did not vouch for the user: " +
                    failure_text(answer, secrets) +
                    (temporary ? "" : "; sign in there again so that oauth.idp.idToken is fresh"));
  }
  std::string assertion = root.find("access_token").string_or("");
  if (assertion.empty() || !root.find("issued_token_type").equals(assertion_type)) {
    return fail(ErrorCode::protocol,
                "the identity provider of oauth.idp did not give an assertion for the "
                "server (" +
                    std::string(assertion_type) + "); it may not support cross-app access");
  }
  return assertion;
}

}  // namespace pi_mcp::auth
