#include "auth/waiting_login.h"

#include <utility>

#include "auth/login_flow.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::auth {

std::string to_json(const WaitingLogin& waiting) {
  Credentials so_far = waiting.so_far;
  so_far.secrets_in = SecretsIn::file;
  json::Writer out;
  out.begin_object();
  out.member_raw("login", to_json(so_far));
  out.member("redirectUri", waiting.redirect_uri);
  out.member("state", waiting.state);
  out.member("verifier", waiting.verifier);
  out.member("sendsIssuer", waiting.sends_issuer);
  return out.end_object().take();
}

Result<WaitingLogin> parse_waiting_login(std::string_view json) {
  const Result<json::Document> document = json::Document::parse(std::string(json));
  const json::Value root = document ? document->root() : json::Value();
  Result<Credentials> so_far = parse_credentials(root.find("login").raw());
  WaitingLogin waiting;
  waiting.redirect_uri = root.find("redirectUri").string_or("");
  waiting.state = root.find("state").string_or("");
  waiting.verifier = root.find("verifier").string_or("");
  waiting.sends_issuer = root.find("sendsIssuer").bool_or(false);
  if (!so_far || waiting.redirect_uri.empty() || waiting.state.empty() ||
      waiting.verifier.empty()) {
    return fail(ErrorCode::invalid_argument, "it has no login that waits");
  }
  waiting.so_far = *std::move(so_far);
  return waiting;
}

Credentials LoginFlow::so_far() const {
  return {.server_url = setup_.server_url,
          .issuer = server_.issuer,
          .resource = resource(),
          .token_endpoint = server_.token_endpoint,
          .revocation_endpoint = server_.revocation_endpoint,
          .requested_scope = scope_,
          .wanted_scope = "",
          .client = client_,
          .tokens = {},
          .secrets_in = SecretsIn::file,  // the store decides
          .sealed = ""};
}

std::optional<WaitingLogin> LoginFlow::waiting() const {
  if (step_ != Step::authorization) {
    return std::nullopt;
  }
  WaitingLogin waiting;
  waiting.so_far = so_far();
  waiting.redirect_uri = setup_.redirect_uri;
  waiting.state = setup_.state;
  waiting.verifier = setup_.verifier;
  waiting.sends_issuer = server_.sends_issuer;
  return waiting;
}

LoginFlow::LoginFlow(Setup setup, WaitingLogin waiting) : setup_(std::move(setup)) {
  Credentials& so_far = waiting.so_far;
  setup_.redirect_uri = std::move(waiting.redirect_uri);
  setup_.state = std::move(waiting.state);
  setup_.verifier = std::move(waiting.verifier);
  addresses_ =
      std::make_shared<const http::AddressRule>(address_rule(setup_.server_url, setup_.settings));
  step_ = Step::authorization;
  if (so_far.resource.empty()) {
    rule_ = IssuerRule::same_origin;
  } else {
    resource_.emplace().resource = std::move(so_far.resource);
  }
  issuer_ = so_far.issuer;
  server_.issuer = std::move(so_far.issuer);
  server_.token_endpoint = std::move(so_far.token_endpoint);
  server_.revocation_endpoint = std::move(so_far.revocation_endpoint);
  server_.sends_issuer = waiting.sends_issuer;
  client_ = std::move(so_far.client);
  scope_ = std::move(so_far.requested_scope);
  registered_again_ = true;  // what that would need is not known here
}

}  // namespace pi_mcp::auth
